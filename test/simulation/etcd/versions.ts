// SPDX-License-Identifier: Apache-2.0
import type { AppliedState } from './applied-state.ts';
import type { Command, DataDirectory } from './data-directory.ts';
import type { Exit, Member } from './member.ts';

/** Of `3.6.16` the 6: all versions here begin with a 3. */
export function minorOf(version: string): number {
  return Number(version.split('.')[1] ?? 0);
}

/** How often etcd looks at the versions of its members, and at a downgrade, in milliseconds. */
const versionsEvery = 4_000;
const downgradeEvery = 5_000;

/** Versions of members as their leader hears them; undefined if somebody cannot be asked. */
type Heard = readonly number[] | undefined;

/** Puts a command of the server's own into the log. */
type Submit = (command: (request: string) => Command) => void;

/** What a member does about versions on the side: the cluster's if it leads, that of its own database always. */
export function watchVersions(member: Member, now: number, heard: () => Heard, submit: Submit): void {
  const { directory, settings, state } = member;
  const own = minorOf(settings.version);
  const isNewLeader = member.role === 'leader' && member.versionsOfTerm !== directory.term && hasCommitted(member);
  if (isNewLeader) member.versionsOfTerm = directory.term;
  if (isNewLeader || now - member.versionsAt >= versionsEvery) {
    member.versionsAt = now;
    const next = member.role === 'leader' ? nextClusterVersion(own, state, heard()) : undefined;
    if (next !== undefined) submit((request) => ({ kind: 'clusterVersion', minor: next, isV2: own < 6, request }));
    if (own >= 6 && state.clusterVersion !== undefined && state.clusterVersion > 0)
      directory.storageMinor = state.clusterVersion;
  }
  if (member.role !== 'leader' || now - member.downgradeAt < downgradeEvery) return;
  member.downgradeAt = now;
  if (isDowngraded(own, state, heard())) submit((request) => ({ kind: 'downgrade', target: undefined, request }));
}

function hasCommitted({ directory }: Member): boolean {
  return directory.log[directory.commit - 1]?.term === directory.term;
}

/** 0 for 3.0, which stands for a version that nobody knows yet; undefined if nothing changes. */
function nextClusterVersion(own: number, state: AppliedState, heard: Heard): number | undefined {
  const { clusterVersion, downgradeTarget } = state;
  const least = heard && Math.min(...heard);
  if (clusterVersion === undefined) return least ?? 0;
  if (least === undefined) return undefined;
  // 3.5 follows its members down by one, whatever was asked for.
  if (own < 6) return least > clusterVersion || least === clusterVersion - 1 ? least : undefined;
  if (downgradeTarget === undefined) return least > clusterVersion ? least : undefined;
  return downgradeTarget === clusterVersion - 1 && downgradeTarget === least - 1 ? downgradeTarget : undefined;
}

/** 3.5 asks what the cluster speaks, newer ones what members run. */
function isDowngraded(own: number, { downgradeTarget, clusterVersion }: AppliedState, heard: Heard): boolean {
  if (downgradeTarget === undefined || !heard) return false;
  return own < 6 ? clusterVersion === downgradeTarget : heard.every((minor) => minor === downgradeTarget);
}

/** Why this version does not run on what lies on a disk, in etcd's words; undefined if it does. */
export function versionRefusal(version: string, state: AppliedState, directory: DataDirectory): Exit | undefined {
  const own = minorOf(version);
  const { clusterVersion = 0, downgradeTarget } = state;
  if (own < 6 && downgradeTarget !== undefined) {
    const message = 'invalid downgrade; server version is not allowed to join when downgrade is enabled';
    return downgradeTarget === own ? undefined : { code: 1, message };
  }
  if (own < clusterVersion)
    return { code: 2, message: 'invalid downgrade; server version is lower than determined cluster version' };
  if (own >= 6 && (directory.storageMinor ?? 0) > own)
    return {
      code: 1,
      message: `cannot create migration plan: version "3.${directory.storageMinor}.0" is not supported`,
    };
  const isUnreadable = directory.log
    .slice(directory.snapshotIndex)
    .some(({ command }) => 'isV2' in command && command.isV2 && own >= 7);
  return isUnreadable ? { code: 2, message: 'panic: entry of the v2 store in the log' } : undefined;
}

/** True if somebody with an empty disk may join: every member that answers speaks a version that it takes. */
export function mayJoin(version: string, others: readonly Member[]): boolean {
  const own = minorOf(version);
  const isDowngrading = others[0]?.state.downgradeTarget !== undefined;
  const [least, most] = isDowngrading ? [own + 1, own + 1] : [0, own];
  const spoken = others.flatMap(({ state }) => state.clusterVersion ?? []);
  return spoken.length > 0 && spoken.every((minor) => minor >= least && minor <= most);
}

/** What a request to begin a downgrade is refused with. */
export function downgradeRefusal(
  { clusterVersion, downgradeTarget }: AppliedState,
  target: number,
): string | undefined {
  if (clusterVersion === undefined) return 'etcdserver: cluster version not found during downgrade';
  if (target !== clusterVersion - 1) return 'etcdserver: invalid downgrade target version';
  return downgradeTarget === undefined ? undefined : 'etcdserver: cluster has a downgrade job in progress';
}

/** The format of a member's database as it reports it: empty where it does not say. */
export function storageVersionOf({ settings, directory }: Member): string {
  if (minorOf(settings.version) < 6 || directory.commit === 0) return '';
  return `3.${directory.storageMinor ?? 5}.0`;
}
