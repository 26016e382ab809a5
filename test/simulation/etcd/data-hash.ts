// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { AppliedState } from './applied-state.ts';
import type { Id } from './ids.ts';
import type { Member } from './member.ts';
import { minorOf } from './versions.ts';

/** `HashKV`: a hash of what a member's database holds up to a revision. It depends on what was compacted. */
export function dataHash(member: Member, revision: number): number {
  return hashOf(
    member,
    member.state.kept.filter((one) => one.revision <= revision),
  );
}

function hashOf({ state, directory }: Member, revisions: AppliedState['compacted']): number {
  const hash = createHash('sha256').update(String(state.compactRevision));
  for (const { revision: at, key, value } of revisions) {
    hash.update(`${at} ${key} ${at === directory.flippedRevision ? 'flipped' : value}\n`);
  }
  return hash.digest().readUInt32BE();
}

/** How often a leader compares what compactions have left (`--compact-hash-check-time`), in milliseconds. */
const compareEvery = 60_000;

/**
 * The compaction hash check of a leader: the members whose data differs from the majority's, `0` where that cannot be told or where the
 * version does not say (3.5). Empty while all is well, and while somebody cannot be asked.
 */
export function comparedByLeader(leader: Member, peers: readonly (Member | undefined)[], now: number): readonly Id[] {
  const { compactRevision } = leader.state;
  if (leader.role !== 'leader' || leader.comparedTo >= compactRevision) return [];
  if (now - leader.comparedAt < compareEvery) return [];
  leader.comparedAt = now;
  const all = [leader, ...peers.flatMap((peer) => peer ?? [])];
  if (all.length <= peers.length || all.some(({ state }) => state.compactRevision !== compactRevision)) return [];
  leader.comparedTo = compactRevision;
  const groups = Map.groupBy(all, (member) => hashOf(member, member.state.compacted));
  if (groups.size === 1) return [];
  const sound = [...groups.values()].find((group) => group.length > all.length / 2);
  if (!sound || minorOf(leader.settings.version) < 6) return ['0'];
  return all.filter((member) => !sound.includes(member)).map(({ id }) => id);
}
