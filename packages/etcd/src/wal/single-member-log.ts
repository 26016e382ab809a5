// SPDX-License-Identifier: Apache-2.0
import { LogError } from './log-error.ts';
import { confChange, confChangeTypes, entry, entryTypes, hardState } from './raft-messages.ts';
import type { LogReading } from './read-log.ts';
import { recordTypes, writeRecord } from './records.ts';

/**
 * The records to append to a member's log so that it continues as the only member: all its entries become committed,
 * then all others are removed. `--force-new-cluster` only removes the others, and drops entries that the member did not
 * know to be committed; clients may have been told that they are (etcd fact 3). An etcd with this log needs no special flag, so that
 * a restart does nothing else. A learner, which has received what the voters have, is promoted first.
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
  // An empty entry, as of a new leader, even if no member has to be removed. etcd reads entries again that a snapshot
  // from a later leader has dropped; only an entry at their index ends them.
  append(entryTypes.normal, new Uint8Array(0));
  const change = (type: number, id: bigint, context?: Uint8Array) =>
    append(entryTypes.confChange, confChange.encode({ id: 0n, type, memberId: id, context }));
  // Before the voters go: a cluster must never be without one.
  if (isLearner) change(confChangeTypes.addVoter, memberId, promotion(memberId));
  for (const id of others) change(confChangeTypes.remove, id);
  add(recordTypes.state, hardState.encode({ term, vote: state.vote, commit: index }));
  return Buffer.concat(parts);
}

/** What etcd writes for a promotion. By hand: an ID may be too large for a number of JavaScript. */
function promotion(memberId: bigint): Uint8Array {
  return Buffer.from(`{"id":${memberId},"peerURLs":null,"isPromote":true}`);
}
