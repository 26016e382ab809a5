// SPDX-License-Identifier: Apache-2.0
/**
 * The part of B10K that runs in the network of a cluster, whose name is in ETCD_OPERATOR_E2E_CLUSTER. Prints progress
 * on standard error, and the seconds of all rounds as one JSON object.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { etcdImage } from '@etcd-operator/tools/image';
import { adminClient } from '../../test/e2e/testing/kube-client.ts';
import { startLocalVolumes } from '../../test/e2e/testing/local-volumes.ts';
import { rebootPods } from '../../test/e2e/testing/reboot.ts';
import { deployOperator } from '../../test/e2e/testing/scenes/operator.ts';
import { isReady } from '../../test/e2e/testing/scenes/pods.ts';
import { openScene } from '../../test/e2e/testing/scenes/scene.ts';
import { etcdSetOnVolumes, lonelyPod } from '../heal/floor.ts';
import { Writer } from '../heal/writer.ts';
import { Ground } from './ground.ts';
import type { HealTimes } from './heal-on-cluster.ts';

const rounds = Number(process.argv[2] ?? 5);
const few = Math.min(3, rounds);
/** For measurements that are compared by their ratio. */
const many = 2 * rounds - 1;
const size = 3;
await using scene = await openScene('bench-heal');
await using admin = await adminClient(scene.cluster);
await using _operator = await deployOperator(scene);
await using volumes = await startLocalVolumes(scene.cluster);
const ground = new Ground(scene, admin.client);
const [image = ''] = (await etcdImage('etcd@3.6')).names;
const claim = {
  storageClassName: volumes.storageClass,
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '512Mi' } },
} as const;

const theirs = 'bench-etcd=floor';
const podStart = await told('start of a pod', few, startPod);
const ours = 'etcd_cluster=heal';
await scene.create({
  apiVersion: 'etcd.database.coreos.com/v1beta2',
  kind: 'EtcdCluster',
  metadata: { name: 'heal' },
  spec: { size, version: image.split(':v')[1], pod: { persistentVolumeClaimSpec: claim } },
});
await ground.healthy(ours, size);
await scene.create(...etcdSetOnVolumes('floor', scene.namespace, image, { ...claim, accessModes: ['ReadWriteOnce'] }));
await ground.healthy(theirs, size);
const writer = new Writer(ground, 'heal', 'w/');
const gapFollower = await told('write gap, follower killed', few, () => gap(false, '--grace-period=0', '--force'));
const gapLeaderStopped = await told('write gap, leader stopped', few, () => gap(true));
const gapLeaderKilled = await told('write gap, leader killed', rounds, killLeader);
const { setPod, pod } = await losePodsInTurn();
await scene.kubectl('delete', 'statefulset,service', 'floor');
const volume = await told('volume lost', rounds, loseVolume);
const allPods = await told('all pods deleted, volumes kept', rounds, async () =>
  ground.lose(
    ours,
    size,
    (await settled(ours)).map((voter) => voter.pod),
  ),
);
await settled(ours);
const { written, lost } = await writer.lost();
await scene.kubectl('delete', 'etcdcluster', 'heal');
const times: HealTimes = {
  setPod,
  podStart,
  pod,
  volume,
  allPods,
  gapFollower,
  gapLeaderStopped,
  gapLeaderKilled,
  written,
  lost,
};
process.stdout.write(`${JSON.stringify(times)}\n`);

async function told(what: string, times: number, measure: () => Promise<number>): Promise<readonly number[]> {
  const seconds: number[] = [];
  for (let round = 0; round < times; round++) seconds.push(await measure());
  tell(what, seconds);
  return seconds;
}

function tell(what: string, seconds: readonly number[]): void {
  process.stderr.write(`${what}: ${seconds.map((one) => one.toFixed(2)).join(', ')} s\n`);
}

/**
 * The voters after a quiet period: while probes of a new pod succeed for the first time, its kubelet processes each of
 * them before a deletion, which would distort the measurement.
 */
async function settled(selector: string) {
  while (!(await ground.pods(selector)).every(isReady)) await sleep(200);
  // The kubelet checks its containers once a second: neither side may always begin at the same moment of that second.
  await sleep(3000 + Math.random() * 1000);
  return ground.healthy(selector, size);
}

/** The leader, or any follower. */
async function some(selector: string, wantsLeader: boolean) {
  const [found] = (await settled(selector)).filter(({ isLeader }) => isLeader === wantsLeader);
  if (!found) throw new Error(`${selector} has no ${wantsLeader ? 'leader' : 'follower'}`);
  return [found.pod];
}

/** Both sides alternate, so that other load on the node and delays of the kubelet affect both equally. */
async function losePodsInTurn() {
  const seconds = { setPod: [] as number[], pod: [] as number[] };
  for (let round = 0; round < many; round++) {
    seconds.setPod.push(await ground.lose(theirs, size, await some(theirs, false)));
    seconds.pod.push(await ground.lose(ours, size, await some(ours, false)));
  }
  tell('StatefulSet, pod deleted, volume kept', seconds.setPod);
  tell('pod deleted, volume kept', seconds.pod);
  return seconds;
}

async function startPod(): Promise<number> {
  const started = performance.now();
  await scene.create({ apiVersion: 'v1', kind: 'Pod', ...lonelyPod('lonely', scene.namespace, image) });
  await ground.healthy('bench-etcd=lonely', 1);
  const seconds = (performance.now() - started) / 1000;
  await scene.kubectl('delete', 'pod', 'lonely', '--grace-period=0', '--force');
  return seconds;
}

async function gap(wantsLeader: boolean, ...flags: readonly string[]): Promise<number> {
  const victims = await some(ours, wantsLeader);
  writer.longestGap();
  await ground.lose(ours, size, victims, ...flags);
  return writer.longestGap();
}

/** Its processes end without notice, as when a node loses power. */
async function killLeader(): Promise<number> {
  const victims = await some(ours, true);
  writer.longestGap();
  rebootPods(scene.cluster, victims);
  await sleep(4000);
  await ground.healthy(ours, size);
  return writer.longestGap();
}

async function loseVolume(): Promise<number> {
  const victims = await some(ours, false);
  const claims = victims
    .flatMap(({ spec }) => spec?.volumes ?? [])
    .flatMap((one) => one.persistentVolumeClaim?.claimName ?? []);
  await scene.kubectl('delete', 'pvc', ...claims, '--wait=false');
  return ground.lose(ours, size, victims);
}
