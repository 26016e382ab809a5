// SPDX-License-Identifier: Apache-2.0
import { faultsOfVoters } from './data-faults.ts';
import type { ModelPod } from './model-node.ts';
import { crashed } from './model-node.ts';
import { elsewhere } from './observe.ts';
import type { World } from './world.ts';

/** An event in the model. `pick` selects the object; nothing happens if there is none. */
export type Fault = (world: World, pick: number) => void;

/** Events caused by users, hardware and networks, by name. */
export const faults: Readonly<Record<string, Fault>> = {
  deletePod: (world, pick) => onPod(world, pick, ({ facts }) => world.deletePod(facts.name)),
  forceDeletePod: (world, pick) => onPod(world, pick, ({ facts }) => world.removePod(facts.name)),
  deleteAllPods: (world) => {
    for (const name of [...world.pods.keys()]) world.deletePod(name);
  },
  deleteVolume: (world, pick) => withOne([...world.volumes.keys()], pick, (name) => world.deleteVolume(name)),
  deletePodAndVolume: (world, pick) =>
    onPod(world, pick, ({ facts }) => {
      world.removePod(facts.name);
      world.removeVolume(facts.name);
    }),
  swapVolumes: (world, pick) =>
    withOne([...world.volumes.values()], pick, (one) =>
      withOne([...world.volumes.values()], pick + 1, (other) =>
        swap(world, `volume/${one.uid}`, `volume/${other.uid}`),
      ),
    ),
  crash: (world, pick) => onPod(world, pick, (pod) => crashed(pod, 'panic')),
  outOfMemory: (world, pick) => onPod(world, pick, (pod) => crashed(pod, '', 'OOMKilled')),
  evictPod: (world, pick) =>
    onPod(world, pick, (pod) => {
      pod.inside.startedImage = '';
      if (pod.facts.data !== 'claim') world.directories.delete(world.placeOf(pod));
      Object.assign(pod.facts, { phase: 'Failed', ready: false });
    }),
  cutPod: (world, pick) => onPod(world, pick, ({ facts }) => world.cut.add(facts.uid)),
  mendNetwork: mend,
  /** Only the operator cannot reach the pods, as with a network policy or a wrong client certificate of the operator. */
  hidePod: (world, pick) => onPod(world, pick, ({ facts }) => world.hidden.add(facts.uid)),
  hideAllPods: (world) => {
    for (const { facts } of world.pods.values()) world.hidden.add(facts.uid);
  },
  /** Only the peers of the pod cannot reach it. */
  severPod: (world, pick) => onPod(world, pick, ({ facts }) => world.severed.add(facts.uid)),
  /** The pod of the next learner runs, but the member never catches up. */
  isolateNextLearner: (world, pick) => {
    world.nextBrokenNetwork = pick % 2 ? 'all' : 'peers';
  },
  /** After a reboot two pods have exchanged their addresses, and the kubelet has not reported this yet. */
  swapAddresses: (world, pick) =>
    onPod(world, pick, (one) => onPod(world, pick + 1, (other) => lead(world, one, other.facts.uid, 20_000))),
  /** Another cluster gets the address of the pod, for a moment or for long. */
  loseAddress: (world, pick) => onPod(world, pick, (pod) => lead(world, pod, elsewhere, pick % 2 ? 20_000 : 600_000)),
  closeMetrics: (world) => {
    world.isDeaf = true;
  },
  stepClock: (world, pick) => {
    world.wallOffset += [300_000, -3_600_000, 31_536_000_000][pick % 3] ?? 0;
  },
  restartOperator: (world) => world.restartOperator(),
  jamNode: (world, pick) =>
    onNode(world, pick, (name) => Object.assign(world.nodes.get(name) ?? {}, { isJammed: true })),
  drainNode: (world, pick) =>
    onNode(world, pick, (name) => {
      Object.assign(world.nodes.get(name)?.facts ?? {}, { schedulable: false });
      for (const { facts } of world.pods.values()) if (facts.node === name) world.deletePod(facts.name);
    }),
  outOfMemoryOnce: (world, pick) =>
    onPod(world, pick, ({ facts }) => {
      facts.container = { ...facts.container, lastExit: { code: 137, reason: 'OOMKilled', message: '' } };
    }),
  stripLabels: (world) => {
    world.isStripping = true;
    world.labels++;
    world.generation++;
  },
  nodeDown: (world, pick) => onNode(world, pick, (name) => switchNode(world, name, false)),
  nodeUp: (world, pick) => onNode(world, pick, (name) => switchNode(world, name, true)),
  nodeReboot: (world, pick) => onNode(world, pick, (name) => restartPods(world, name, ['memory'])),
  /** A new machine with the same node name: it has the same pods, but nothing on its disk (operator rule 1). */
  nodeReplaced: (world, pick) => onNode(world, pick, (name) => restartPods(world, name, ['memory', 'emptyDir'])),
  nodeGone: (world, pick) => onNode(world, pick, (name) => loseNode(world, name)),
  cordon: (world, pick) =>
    onNode(world, pick, (name) => Object.assign(world.nodes.get(name)?.facts ?? {}, { schedulable: false })),
  clusterFull: (world) => {
    world.isFull = true;
  },
  clusterHasRoom: (world) => {
    world.isFull = false;
  },
  breakImage: (world) => world.brokenImages.add(world.desired.image),
  mendImages: (world) => world.brokenImages.clear(),
  resize: (world, pick) => world.change({ size: [1, 2, 3, 4, 5, 7][pick % 6] ?? 3 }),
  changeVersion: (world, pick) => world.change({ version: versions[pick % versions.length] ?? '3.6.16' }),
  changeRepository: (world, pick) => world.change({ repository: `example.com/etcd-${pick % 2}` }),
  changeTemplate: (world) => {
    world.template++;
    world.generation++;
  },
  changeLabels: (world) => {
    world.labels++;
    world.generation++;
  },
  changeStorage: (world, pick) =>
    world.change({ storage: (['emptyDir', 'claim', 'memory'] as const)[pick % 3] ?? 'emptyDir' }),
  turnTLS: (world) => world.change({ peerTLS: !world.desired.peerTLS }),
  secretsExpire: (world) => {
    world.secretProblems = ['the certificate has expired'];
  },
  raiseAlarm: (world, pick) => {
    world.alarms = [...world.alarms, { alarm: 'NOSPACE', memberId: world.members[pick % 3]?.id ?? '0' }];
  },
  /** The corruption is not detected yet. */
  corruptData: corrupt,
  /** etcd compares hashes and finds that they differ; some versions and checks name the wrong member, or none. */
  findCorruption: (world, pick) => {
    if (new Set(faultsOfVoters(world).values()).size < 2) corrupt(world, pick);
    const named = pick % 2 === 0 ? '0' : (world.members[pick % 3]?.id ?? '0');
    if (faultsOfVoters(world).size === 0) return;
    world.alarms = [...world.alarms, { alarm: 'CORRUPT', memberId: named }];
    for (const { fault } of world.directories.values()) if (fault !== undefined) world.noticed.add(fault);
  },
  replaceOutdated: (world) => world.change({ updatePolicy: 'Replace' }),
  pause: (world) => {
    world.paused = true;
  },
  resume: (world) => {
    world.paused = false;
  },
  loseStatus: (world) => {
    world.status = undefined;
  },
  loseAnnotation: (world) => {
    world.inAnnotation = undefined;
  },
  deleteServices: (world) => {
    world.services = { peer: 'missing', client: 'drifted' };
  },
  deleteBudget: (world) => {
    world.minAvailable = undefined;
  },
  rearmPod: (world, pick) =>
    onPod(world, pick, (pod) => {
      if (!pod.facts.adopted) pod.facts.boot = 'existing';
      pod.inside.isBootstrapSetByHand = true;
      world.touch(pod);
    }),
  unmarkVoter: (world, pick) =>
    onPod(world, pick, (pod) => {
      pod.facts.markedVoter = false;
      world.touch(pod);
    }),
  removeMemberByHand: (world, pick) =>
    withOne(world.members, pick, ({ id }) => {
      if (world.etcd.refuses({ kind: 'remove', id }, world.processes(), world.now) === undefined) world.etcd.remove(id);
    }),
  addLearnerByHand: (world) => addByHand(world, true),
  addVoterByHand: (world) => addByHand(world, false),
  runLearnerByHand: (world) => runByHand(world, addByHand(world, true)),
  runVoterByHand: (world) => runByHand(world, addByHand(world, false, true)),
  enableDowngradeByHand: (world) => {
    if (world.etcd.clusterMinor > 6 && world.hasQuorum()) world.etcd.downgradeTo = world.etcd.clusterMinor - 1;
  },
};

const versions = ['3.5.35', '3.6.11', '3.6.16', '3.7.1', '3.7.3'];

/** Ends all faults: what a user would repair is repaired, but lost data stays lost. */
export function calm(world: World): void {
  mend(world);
  world.isStripping = false;
  world.isDeaf = false;
  world.brokenImages.clear();
  world.isFull = false;
  world.paused = false;
  world.secretProblems = [];
  world.alarms = world.alarms.filter(({ alarm }) => alarm !== 'NOSPACE');
  const [pod] = world.pods.values();
  const [volume] = world.volumes.values();
  world.change({ peerTLS: pod?.facts.peerTLS ?? volume?.tls?.peer ?? false });
  for (const [name, node] of world.nodes) {
    node.facts.schedulable = true;
    node.isJammed = false;
    if (node.facts.exists) switchNode(world, name, true);
  }
  for (const member of world.members.filter(({ podName }) => podName.startsWith('unmanaged')))
    world.etcd.members = world.etcd.members.filter((other) => other !== member);
  world.unmanaged.clear();
  world.settle();
}

export function mend(world: World): void {
  for (const fault of [world.cut, world.hidden, world.severed, world.strays]) fault.clear();
}

function corrupt(world: World, pick: number): void {
  withOne([...world.directories.values()], pick, (directory) => {
    directory.fault = world.serial('').slice(1);
  });
}

/** Returns the ID of the new member; undefined if etcd refuses it. */
function addByHand(world: World, isLearner: boolean, isStarted = false): string | undefined {
  const { etcd } = world;
  if (etcd.members.some((member) => member.isLearner)) return undefined;
  const kind = isLearner ? 'addLearner' : 'addVoter';
  if (etcd.refuses({ kind }, world.processes(), world.now) !== undefined) return undefined;
  // A single voter would lose its quorum if a second voter were added that does not run, and the second voter could not be removed again.
  if (!isLearner && etcd.voters().length < 3 && !isStarted) return undefined;
  const id = etcd.newId();
  etcd.members.push({ id, podName: `unmanaged-${id}`, addedAt: world.now, name: '', isLearner });
  return id;
}

/** Runs a member where the operator cannot observe it, for example at another site. */
function runByHand(world: World, id: string | undefined): void {
  const member = world.etcd.members.find((candidate) => candidate.id === id);
  if (!member || id === undefined) return;
  const { clusterId, acknowledged: log, clusterMinor: minor } = world.etcd;
  member.name = member.podName;
  const directory = { memberId: id, clusterId, log, logMinor: minor, storageMinor: minor };
  world.unmanaged.set(id, { directory, upSince: world.now });
}

function lead(world: World, pod: ModelPod, to: string, lasts: number): void {
  if (pod.facts.ip !== '' && pod.facts.uid !== to) world.strays.set(pod.facts.uid, { to, until: world.now + lasts });
}

function swap(world: World, a: string, b: string): void {
  const [first, second] = [world.directories.get(a), world.directories.get(b)];
  const isMounted = [...world.pods.values()].some((pod) => [a, b].includes(world.placeOf(pod)));
  if (!first || !second || isMounted) return;
  world.directories.set(a, second);
  world.directories.set(b, first);
}

function switchNode(world: World, name: string, isUp: boolean): void {
  const node = world.nodes.get(name);
  if (!node || node.isUp === isUp) return;
  node.isUp = isUp;
  node.downSince = isUp ? undefined : world.now;
  if (isUp) node.facts.ready = true;
}

function loseNode(world: World, name: string): void {
  if (world.nodes.size < 4) return;
  switchNode(world, name, false);
  Object.assign(world.nodes.get(name)?.facts ?? {}, { exists: false, ready: false });
  for (const pod of world.pods.values()) if (pod.facts.node === name) world.deletePod(pod.facts.name);
}

function restartPods(world: World, node: string, blanked: readonly string[]): void {
  for (const pod of world.pods.values()) {
    if (pod.facts.node !== node) continue;
    if (blanked.includes(pod.facts.data)) world.directories.delete(world.placeOf(pod));
    pod.inside.startedImage = '';
    pod.facts.container = { ...pod.facts.container, restarts: pod.facts.container.restarts + 1 };
    if (pod.facts.adopted) pod.facts.phase = 'Failed';
  }
}

function onPod(world: World, pick: number, then: (pod: ModelPod) => void): void {
  withOne([...world.pods.values()], pick, then);
}

function onNode(world: World, pick: number, then: (name: string) => void): void {
  withOne([...world.nodes.keys()], pick, then);
}

function withOne<T>(items: readonly T[], pick: number, then: (item: T) => void): void {
  const item = items[pick % Math.max(1, items.length)];
  if (item !== undefined) then(item);
}
