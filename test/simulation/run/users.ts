// SPDX-License-Identifier: Apache-2.0
import { type Pod, podDisruptionBudgets, pods, services } from '@operator-parts/kube';
import type { Change } from '../etcd/data-directory.ts';
import type { Ether } from '../etcd/ether.ts';
import { memberId } from '../etcd/ids.ts';
import type { Member } from '../etcd/member.ts';
import { reconfigRefusal } from '../etcd/reconfig.ts';
import { minorOf } from '../etcd/versions.ts';
import { elsewhere } from '../world/world.ts';
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

const newest: Readonly<Record<number, string>> = { 5: '3.5.35', 6: '3.6.16', 7: '3.7.3' };

/** The newest patch of a minor that the simulated registry has. */
export function newestOf(minor: number): string | undefined {
  return newest[minor];
}

/**
 * Whoever asked for a version that cannot be reached from here, or whose upgrade failed for the faults, asks for one that can be had.
 * What members run counts, too: right after a cancelled downgrade the cluster version is lower, and rises again.
 */
export function askForReachableVersion(simulation: Simulation): void {
  const cluster = simulation.cluster();
  const leader = simulation.leader();
  const spoken = leader?.state.clusterVersion;
  const wanted = minorOf(simulation.version);
  const isNowhere = simulation.version.endsWith('.99');
  if (spoken === undefined) {
    // A cluster that was created with it has no leader yet, and nothing of it can start.
    if (isNowhere) changeVersion(simulation, newestOf(wanted) ?? simulation.version);
    return;
  }
  const running = [...simulation.world.ether.members]
    .filter(({ directory }) => directory.clusterId === leader?.directory.clusterId)
    .map(({ settings }) => minorOf(settings.version));
  const isOutOfReach =
    isNowhere || [spoken, ...running].some((minor) => Math.abs(wanted - minor) > 1) || (spoken === 5 && wanted < 5);
  const version = newestOf(spoken) ?? simulation.version;
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
      .then(() => {
        simulation.podEdits = {};
        return simulation.createCluster();
      }),
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

/** Somebody's own member, which runs: added, started, and promoted if it was a learner among several voters. */
export function handRun(simulation: Simulation, isLearner: boolean): void {
  if ((simulation.leader()?.state.voters().length ?? 0) < 3) return;
  const { world, clock } = simulation;
  handAdd(simulation, isLearner);
  clock.schedule(2_000, () => {
    // Whoever leads by now: the one that was asked before may have ended.
    const leader = simulation.leader();
    if (!leader) return;
    const added = [...leader.state.members.values()].find(({ name, peerUrls }) => isHandMade(peerUrls) && name === '');
    const host = added && new URL(added.peerUrls[0] ?? '').hostname;
    if (!added || !host || world.outsiders.has(host)) return;
    const name = host.split('.')[0] ?? host;
    const listed = [...leader.state.members.values()].map(
      (one) => `${one.id === added.id ? name : one.name || one.id}=${one.peerUrls[0]}`,
    );
    const settings = {
      ...{ name, peerUrls: added.peerUrls, clientUrls: [`http://${host}:2379`], version: leader.settings.version },
      ...{ maxLearners: leader.settings.maxLearners, snapshotCount: leader.settings.snapshotCount },
    };
    const started = world.ether.start(
      undefined,
      settings,
      { initialCluster: listed.join(), state: 'existing', token: '' },
      elsewhere,
    );
    if ('code' in started) simulation.note(`${name} does not start: ${started.message}`);
    else world.outsiders.set(host, started);
    if (isLearner) clock.schedule(20_000, () => promote(simulation, added.id));
  });
}

function promote(simulation: Simulation, id: string): void {
  const leader = simulation.leader();
  if (leader) submit(simulation, leader, { kind: 'promote', id });
}

/** A field of `spec.pod` is changed: one that pods take as they are, or one for which they are replaced. */
export function editPods(simulation: Simulation, pick: number): void {
  const isLive = pick % 2 === 0;
  const edit = isLive ? { label: `team-${pick}` } : { variable: `${50 + (pick % 100)}` };
  simulation.podEdits = { ...simulation.podEdits, ...edit };
  const pod = isLive ? { labels: { team: edit.label } } : { etcdEnv: [{ name: variableName, value: edit.variable }] };
  simulation.work(simulation.clusters.patch(clusterKey, { type: 'merge', patch: { spec: { pod } } }));
}

/** A variable that changes nothing about etcd. */
export const variableName = 'GOGC';

const hold = 'example.com/hold';

/** A pod is deleted, and somebody's finalizer keeps it. */
export function holdAndDelete(simulation: Simulation, { metadata }: Pod, lasts: number): void {
  const key = { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '' };
  const resource = simulation.world.client.resource(pods);
  if (metadata?.deletionTimestamp) return;
  const patch = { metadata: { uid: metadata?.uid, finalizers: [hold] } };
  simulation.work(resource.patch(key, { type: 'merge', patch }).then(() => resource.delete(key)));
  simulation.clock.schedule(lasts, () => {
    const found = simulation.world.stored.get(metadata?.uid ?? '');
    if (found) release(simulation, found);
  });
}

export function release(simulation: Simulation, { metadata }: Pod): void {
  if (!metadata?.finalizers?.includes(hold)) return;
  const key = { name: metadata.name ?? '', namespace: metadata.namespace ?? '' };
  const patch = { metadata: { uid: metadata.uid, finalizers: null } };
  simulation.work(simulation.world.client.resource(pods).patch(key, { type: 'merge', patch }));
}

/** Somebody's kubectl: what belongs to the operator is deleted, or loses a label. */
export function meddle(simulation: Simulation, pick: number): void {
  const { client, server, stored } = simulation.world;
  const { feed } = server;
  const found = [feed.list(services), feed.list(podDisruptionBudgets), [...stored.values()]][pick % 3] ?? [];
  const { name = '', namespace = '' } = found[(pick >> 2) % Math.max(1, found.length)]?.metadata ?? {};
  if (!name) return;
  simulation.note(`somebody meddles with ${['service', 'budget', 'pod'][pick % 3]} ${name}`);
  const patch = { metadata: { labels: { app: null } } };
  const ways = [
    () => client.resource(services).delete({ name, namespace }),
    () => client.resource(podDisruptionBudgets).delete({ name, namespace }),
    () => client.resource(pods).patch({ name, namespace }, { type: 'merge', patch }),
  ];
  simulation.work(ways[pick % 3]?.() ?? Promise.resolve());
}

function isHandMade([url = '']: readonly string[]): boolean {
  return url.includes('by-hand');
}

export function handRemove(simulation: Simulation, pick: number): void {
  const leader = simulation.leader();
  const members = [...(leader?.state.members.keys() ?? [])];
  const id = members[pick % Math.max(1, members.length)];
  if (leader && id !== undefined) submit(simulation, leader, { kind: 'remove', id });
}

/** Members that nobody runs are taken out by whoever put them in: first the one that etcd lets go now. */
export function removeHandMade(simulation: Simulation): boolean {
  const leader = simulation.leader();
  const made = [...(leader?.state.members.values() ?? [])].filter(({ peerUrls }) => isHandMade(peerUrls));
  if (!leader || made.length === 0) return leader !== undefined;
  made.some(({ id }) => submit(simulation, leader, { kind: 'remove', id }));
  return false;
}

/** True if etcd takes the change. */
function submit(simulation: Simulation, leader: Member, change: Change): boolean {
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
  if (refusal !== undefined) return false;
  ether.submit(
    leader,
    (request) => ({ kind: 'change', change, request }),
    () => undefined,
  );
  return true;
}
