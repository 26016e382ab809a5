// SPDX-License-Identifier: Apache-2.0
import type { Change } from '../etcd/data-directory.ts';
import type { Ether } from '../etcd/ether.ts';
import { memberId } from '../etcd/ids.ts';
import type { Member } from '../etcd/member.ts';
import { reconfigRefusal } from '../etcd/reconfig.ts';
import { minorOf } from '../etcd/versions.ts';
import { clusterKey } from './cluster-key.ts';
import type { Simulation } from './simulation.ts';

/** What people do to an EtcdCluster and to its etcd, behind the operator's back. */

export function resize(simulation: Simulation, size: number): void {
  simulation.size = size;
  simulation.work(simulation.clusters.patch(clusterKey, { type: 'merge', patch: { spec: { size } } }));
}

export function changeVersion(simulation: Simulation, version: string): void {
  simulation.version = version;
  simulation.work(simulation.clusters.patch(clusterKey, { type: 'merge', patch: { spec: { version } } }));
}

/** The newest patch of each minor that the simulated registry has, by minor. */
const newest: Readonly<Record<number, string>> = { 5: '3.5.35', 6: '3.6.16', 7: '3.7.3' };

/**
 * Whoever asked for a version that cannot be reached from here, or whose upgrade failed for the faults, asks for one that can be had.
 */
export function askForReachableVersion(simulation: Simulation): void {
  const cluster = simulation.cluster();
  const spoken = simulation.leader()?.state.clusterVersion;
  if (spoken === undefined) return;
  const wanted = minorOf(simulation.version);
  const isOutOfReach =
    simulation.version.endsWith('.99') || Math.abs(wanted - spoken) > 1 || (spoken === 5 && wanted < 5);
  const version = newest[spoken] ?? simulation.version;
  if (isOutOfReach) changeVersion(simulation, version);
  else if (cluster?.status?.failedUpgrade)
    changeVersion(simulation, simulation.version === version ? '3.6.14' : version);
}

export function setPaused(simulation: Simulation, paused: boolean): void {
  simulation.work(simulation.clusters.patch(clusterKey, { type: 'merge', patch: { spec: { paused } } }));
}

/** Deletes the cluster and creates another one of the same name, at once or a while later. */
export function recreate(simulation: Simulation, isAtOnce: boolean): void {
  simulation.work(
    simulation.clusters
      .delete(clusterKey)
      .then(() => simulation.clock.sleep(isAtOnce ? 0 : 20_000))
      .then(() => simulation.createCluster()),
  );
}

/** `etcdctl member add` of somebody who never starts. */
export function handAdd(simulation: Simulation, isLearner: boolean): void {
  const leader = simulation.leader();
  if (!leader) return;
  const voters = leader.state.voters().length;
  // A second voter beside a single one would leave nobody who could take it out again.
  if (!isLearner && voters < 3) return;
  const peerUrls = [`http://by-hand-${simulation.nextNumber()}.elsewhere.example:2380`];
  const id = memberId(peerUrls, { addedAt: simulation.clock.now() });
  submit(simulation, leader, { kind: 'add', member: { id, name: '', peerUrls, clientUrls: [], isLearner } });
}

export function handRemove(simulation: Simulation, pick: number): void {
  const leader = simulation.leader();
  const members = [...(leader?.state.members.keys() ?? [])];
  const id = members[pick % Math.max(1, members.length)];
  if (leader && id !== undefined) submit(simulation, leader, { kind: 'remove', id });
}

/** Members that nobody runs are taken out by whoever put them in. */
export function removeHandMade(simulation: Simulation): boolean {
  const leader = simulation.leader();
  const made = [...(leader?.state.members.values() ?? [])].find(({ peerUrls }) => peerUrls[0]?.includes('by-hand'));
  if (!leader || !made) return leader !== undefined;
  submit(simulation, leader, { kind: 'remove', id: made.id });
  return false;
}

function submit(simulation: Simulation, leader: Member, change: Change): void {
  const { ether }: { readonly ether: Ether } = simulation.world;
  const scene = {
    own: leader.id,
    voters: leader.state.voters(),
    members: leader.state.members,
    activeSince: (id: string) => leader.activeSince.get(id),
    now: simulation.clock.monotonic(),
    needsQuorumOnly: true,
  };
  const refusal = reconfigRefusal(scene, change);
  simulation.note(`somebody: ${JSON.stringify(change)} ${refusal ?? ''}`);
  if (refusal === undefined)
    ether.submit(
      leader,
      (request) => ({ kind: 'change', change, request }),
      () => undefined,
    );
}
