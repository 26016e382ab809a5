// SPDX-License-Identifier: Apache-2.0
/**
 * The part of B9 that runs in the network of a cluster, whose name is in ETCD_OPERATOR_E2E_CLUSTER. Tells on standard error what it
 * does, and prints the seconds of each side as one JSON object.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { toBytes } from '@etcd-operator/etcd';
import { etcdImage } from '@etcd-operator/tools/image';
import { etcdPods, etcdView, withMember } from '../../test/e2e/testing/etcd-view.ts';
import { adminClient } from '../../test/e2e/testing/kube-client.ts';
import { deployOperator } from '../../test/e2e/testing/operator.ts';
import { openScene } from '../../test/e2e/testing/scene.ts';
import { etcdStatefulSet } from '../../test/e2e/testing/stateful-set.ts';

const rounds = Number(process.argv[2] ?? 5);
await using scene = await openScene('bench', { podSecurity: 'restricted' });
await using admin = await adminClient(scene.cluster);
await using _operator = await deployOperator(scene);
const [image = ''] = (await etcdImage('etcd@3.6')).names;
const version = image.split(':v')[1];

interface Side {
  readonly name: string;
  objects(name: string): readonly object[];
  selector(name: string): string;
}

const floor: Side = {
  name: 'StatefulSet',
  objects: (name) => etcdStatefulSet(name, scene.namespace, image),
  selector: (name) => `bench-etcd=${name}`,
};
const cluster = (name: string, pod: object) => ({
  apiVersion: 'etcd.database.coreos.com/v1beta2',
  kind: 'EtcdCluster',
  metadata: { name },
  spec: { size: 3, version, pod },
});
const ours: Side = {
  name: 'etcd-operator',
  objects: (name) => [cluster(name, {})],
  selector: (name) => `etcd_cluster=${name}`,
};
const withoutDnsCheck: Side = {
  name: 'etcd-operator, checkDNS: false',
  objects: (name) => [cluster(name, { checkDNS: false })],
  selector: (name) => `etcd_cluster=${name}`,
};

const times: Record<string, number[]> = {};
for (let round = 0; round <= rounds; round++) {
  const sides = [floor, ours, withoutDnsCheck];
  for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
    const seconds = await measure(side, `b${round}-${sides.indexOf(side)}`);
    process.stderr.write(`${side.name}: ${seconds.toFixed(2)} s${round === 0 ? ' (warm-up)' : ''}\n`);
    if (round > 0) times[side.name] = [...(times[side.name] ?? []), seconds];
  }
}
process.stdout.write(`${JSON.stringify(times)}\n`);

async function measure(side: Side, name: string): Promise<number> {
  const objects = side.objects(name);
  const started = performance.now();
  await scene.create(...objects);
  await healthy(side.selector(name));
  const seconds = (performance.now() - started) / 1000;
  const kinds = 'statefulset,service,etcdcluster';
  await scene.tryKubectl(['delete', kinds, name, '--ignore-not-found', '--wait=false']);
  await scene.tryKubectl(['delete', 'pods', '--selector', side.selector(name), '--grace-period=0', '--force']);
  // The pods of the one are gone before the other's are timed.
  while ((await etcdPods(admin.client, scene.namespace, side.selector(name))).length > 0) await sleep(200);
  await sleep(2000);
  return seconds;
}

async function healthy(selector: string): Promise<void> {
  const limit = performance.now() + 120_000;
  for (;;) {
    const { healthy: voters, members } = await etcdView(admin.client, scene.namespace, selector);
    if (voters.length === 3 && members === 3) break;
    if (performance.now() > limit) throw new Error(`${selector} did not become healthy within 120 s`);
    await sleep(20);
  }
  const [pod] = await etcdPods(admin.client, scene.namespace, selector);
  await withMember(pod?.status?.podIP ?? '', ({ kv }) => kv.put({ key: toBytes('bench'), value: toBytes('1') }));
}
