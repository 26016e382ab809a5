// SPDX-License-Identifier: Apache-2.0
import type { Command } from '../etcd/data-directory.ts';
import { quotaBytes } from '../etcd/ether.ts';
import type { Member } from '../etcd/member.ts';
import type { Simulation } from './simulation.ts';

/** What happens to the data of etcd, and what people do about it with etcdctl, as the runbooks of the guide say it. */

/** A client writes one key again and again until the quota is used up. */
export function fillSpace(simulation: Simulation): void {
  const leader = simulation.leader();
  if (!leader) return;
  for (let index = 0; index < 5; index++)
    send(simulation, leader, (request) => ({
      kind: 'put',
      key: 'log',
      value: `line ${simulation.nextNumber()}`,
      bytes: quotaBytes / 4,
      request,
    }));
}

/** Compact, defragment every member, disarm. True if no alarm for lack of space was left. */
export function freeSpace(simulation: Simulation): boolean {
  const leader = simulation.leader();
  if (!leader) return false;
  const raised = [...leader.state.alarms].filter((alarm) => alarm.startsWith('NOSPACE'));
  if (raised.length === 0) return true;
  simulation.note('somebody compacts, defragments every member and disarms the alarm');
  compact(simulation);
  for (const { directory, state } of simulation.world.ether.members)
    if (directory.clusterId === leader.directory.clusterId) directory.fileBytes = state.bytesInUse;
  for (const alarm of raised) disarmAlarm(simulation, leader, alarm);
  return false;
}

export function compact(simulation: Simulation): void {
  const leader = simulation.leader();
  if (!leader || leader.state.compactRevision >= leader.state.revision) return;
  const { revision } = leader.state;
  send(simulation, leader, (request) => ({ kind: 'compact', revision, request }));
}

/** The newest value rots on the disk of a member, which starts again. Of one member at most: two may be a majority. */
export function flipValue(simulation: Simulation, pick: number): void {
  const { world } = simulation;
  const leader = simulation.leader();
  // Of a key that is not written again: a wrong value that is overwritten is of no harm to anybody.
  const value = `set ${simulation.nextNumber()}`;
  if (leader) send(simulation, leader, (request) => ({ kind: 'put', key: 'settings', value, request }));
  const voters = leader?.state.voters() ?? [];
  const found = world.simPods().filter(({ pod }) => voters.some(({ id }) => id === pod.member?.id));
  const isFlipped = [...world.directories.values()].some(({ flippedRevision }) => flippedRevision !== undefined);
  const victim = found[pick % Math.max(1, found.length)];
  const newest = victim?.pod.member?.state.kept.findLast((one) => one.value === value);
  if (voters.length < 3 || isFlipped || !victim?.pod.member || !newest) return;
  victim.pod.member.directory.flippedRevision = newest.revision;
  simulation.note(`revision ${newest.revision} of ${victim.pod.name} rots on its disk`);
  victim.kubelet.crash(victim.pod);
}

/** Members of the present cluster that hold a value that nobody wrote. */
export function rottenMembers(simulation: Simulation): readonly Member[] {
  const leader = simulation.leader();
  return [...simulation.world.ether.members].filter(
    ({ id, directory, state }) =>
      directory.flippedRevision !== undefined &&
      directory.clusterId === leader?.directory.clusterId &&
      leader.state.members.has(id) &&
      state.kept.some(({ revision }) => revision === directory.flippedRevision),
  );
}

/**
 * What rots is found by a compaction, and the operator replaces the member. Where no majority can be right, a person says whose data
 * counts.
 */
export function judgeData(simulation: Simulation): void {
  const leader = simulation.leader();
  if (!leader) return;
  const raised = [...leader.state.alarms].filter((alarm) => alarm.startsWith('CORRUPT'));
  const rotten = rottenMembers(simulation);
  if (raised.length === 0 && rotten.length > 0) compact(simulation);
  const voters = leader.state.voters();
  if (raised.length === 0 || (voters.length > 2 && 2 * rotten.length < voters.length)) return;
  simulation.note('somebody puts the value right and disarms the alarm');
  for (const directory of simulation.world.directories.values()) directory.flippedRevision = undefined;
  for (const alarm of raised) disarmAlarm(simulation, leader, alarm);
}

function disarmAlarm(simulation: Simulation, leader: Member, text: string): void {
  const [name, id = '0'] = text.split(' ');
  const alarm = name === 'NOSPACE' ? 'NOSPACE' : 'CORRUPT';
  send(simulation, leader, (request) => ({ kind: 'alarm', id, alarm, isRaised: false, request }));
}

function send({ world }: Simulation, leader: Member, command: (request: string) => Command): void {
  world.ether.submit(leader, command, () => undefined);
}
