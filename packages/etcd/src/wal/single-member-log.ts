// SPDX-License-Identifier: Apache-2.0
import { LogError } from './log-error.ts';
import { confChange, confChangeTypes, entry, entryTypes, hardState } from './raft-messages.ts';
import type { LogReading } from './read-log.ts';
import { recordTypes, writeRecord } from './records.ts';

/**
 * The records to append to a member's log so that the member continues as the only member: all its entries become
 * committed, then all other members are removed. `--force-new-cluster` also removes the other members, but drops
 * entries that the member did not know to be committed; clients may have been told that these entries are committed
 * (etcd fact 3). An etcd with this log needs no special flag, so a restart has no further effect. A learner, which has
 * received what the voters have, is promoted first.
 */
export function singleMemberRecords({
  memberId,
  voters,
  learners,
  state,
  lastTerm,
  lastIndex,
  end,
}: LogReading): Uint8Array {
  const isLearner = learners.includes(memberId);
  if (!isLearner && !voters.includes(memberId))
    throw new LogError(
      'Unsupported',
      'its log says that it was removed from its cluster, or never became a member of it',
    );
  const term = state.term > lastTerm ? state.term : lastTerm;
  const others = [...voters, ...learners].filter((id) => id !== memberId);
  const parts: Uint8Array[] = [];
  let { crc } = end;
  let index = lastIndex;
  const add = (type: number, data: Uint8Array) => {
    const written = writeRecord(type, data, crc);
    crc = written.crc;
    parts.push(written.bytes);
  };
  const append = (type: number, data: Uint8Array) =>
    add(recordTypes.entry, entry.encode({ type, term, index: ++index, data }));
  // Append an empty entry like a new leader, even if no member has to be removed. The files may still contain entries
  // that a snapshot from a later leader has dropped. etcd would read these again unless an entry at their index
  // replaces them.
  append(entryTypes.normal, new Uint8Array(0));
  const change = (type: number, id: bigint, context?: Uint8Array) =>
    append(entryTypes.confChange, confChange.encode({ id: 0n, type, memberId: id, context }));
  // Promoted before the voters are removed: a cluster must never be without a voter.
  if (isLearner) change(confChangeTypes.addVoter, memberId, promotion(memberId));
  for (const id of others) change(confChangeTypes.remove, id);
  add(recordTypes.state, hardState.encode({ term, vote: state.vote, commit: index }));
  return Buffer.concat(parts);
}

/** What etcd writes for a promotion. Written by hand, because an ID may be too large for a JavaScript number. */
function promotion(memberId: bigint): Uint8Array {
  return Buffer.from(`{"id":${memberId},"peerURLs":null,"isPromote":true}`);
}
