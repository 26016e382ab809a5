// SPDX-License-Identifier: Apache-2.0
/**
 * The part of B9 that runs in the network of a cluster, whose name is in ETCD_OPERATOR_E2E_CLUSTER. Prints progress on
 * standard error, and the seconds of each side as one JSON object.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { etcdImage } from '@etcd-operator/tools/image';
import { toBytes } from '@operator-parts/etcd';
import type { Pod } from '@operator-parts/kube';
import { adminClient } from '../../test/e2e/testing/kube-client.ts';
import { etcdPods, viewOf, withMember } from '../../test/e2e/testing/scenes/etcd-view.ts';
import { deployOperator } from '../../test/e2e/testing/scenes/operator.ts';
import { openScene } from '../../test/e2e/testing/scenes/scene.ts';
import { etcdStatefulSet } from '../../test/e2e/testing/scenes/stateful-set.ts';

const rounds = Number(process.argv[2] ?? 5);
/** How often one cluster is polled, and many. */
const pollMs = 50;
const crowdPollMs = 250;
await using scene = await openScene('bench', { podSecurity: 'restricted' });
await using admin = await adminClient(scene.cluster);
await using _operator = await deployOperator(scene);
const [image = ''] = (await etcdImage('etcd@3.6')).names;
const version = image.split(':v')[1];

interface Side {
  readonly name: string;
  /** Pods that must be healthy voters of a cluster of this size; 1 of 1 for a pod alone. */
  readonly size: number;
  objects(name: string): readonly object[];
  /** Its value is the name. */
  readonly label: string;
}

const floor: Side = {
  name: 'StatefulSet',
  size: 3,
  objects: (name) => etcdStatefulSet(name, scene.namespace, image),
  label: 'bench-etcd',
};
const cluster = (name: string, size: number, pod: object) => ({
  apiVersion: 'etcd.database.coreos.com/v1beta2',
  kind: 'EtcdCluster',
  metadata: { name },
  spec: { size, version, pod },
});
const ours: Side = {
  name: 'etcd-operator',
  size: 3,
  objects: (name) => [cluster(name, 3, {})],
  label: 'etcd_cluster',
};
const withoutDnsCheck: Side = {
  ...ours,
  name: 'etcd-operator, checkDNS: false',
  objects: (name) => [cluster(name, 3, { checkDNS: false })],
};
const single: Side = { ...ours, name: 'etcd-operator, one member', size: 1, objects: (name) => [cluster(name, 1, {})] };
/** A pod and its Service without a controller. */
const barePod: Side = {
  ...floor,
  name: 'pod with Service',
  size: 1,
  objects: (name) => {
    const [service, set] = etcdStatefulSet(name, scene.namespace, image, 1) as readonly [object, SetOfOne];
    const { metadata, spec } = set.spec.template;
    const place = { hostname: `${name}-0`, subdomain: name };
    return [
      service,
      { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: `${name}-0` }, spec: { ...spec, ...place } },
    ];
  },
};
interface SetOfOne {
  readonly spec: { readonly template: { readonly metadata: object; readonly spec: object } };
}

const times: Record<string, number[]> = {};
for (let round = 0; round <= rounds; round++) {
  const sides = [floor, ours, withoutDnsCheck];
  for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
    const seconds = await measure(side, `b${round}-${sides.indexOf(side)}`);
    process.stderr.write(`${side.name}: ${seconds.toFixed(2)} s${round === 0 ? ' (warm-up)' : ''}\n`);
    if (round > 0) times[side.name] = [...(times[side.name] ?? []), seconds];
  }
}
for (let round = 0; round < rounds; round++) {
  for (const [count, sides] of [
    [10, [floor, withoutDnsCheck]],
    [20, [barePod, single]],
  ] as const) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const seconds = await measure(
        side,
        ...Array.from({ length: count }, (_, index) => `c${round}-${count}-${index}`),
      );
      const name = `${count} at once: ${side.name}`;
      process.stderr.write(`${name}: ${seconds.toFixed(2)} s\n`);
      times[name] = [...(times[name] ?? []), seconds];
    }
  }
}
process.stdout.write(`${JSON.stringify(times)}\n`);

/** Seconds until all of these are healthy. */
async function measure(side: Side, ...names: readonly string[]): Promise<number> {
  const objects = names.flatMap((name) => side.objects(name));
  const started = performance.now();
  await scene.create(...objects);
  await healthy(side, names);
  const seconds = (performance.now() - started) / 1000;
  const kinds = 'statefulset,service,etcdcluster';
  await scene.tryKubectl(['delete', kinds, ...names, '--ignore-not-found', '--wait=false']);
  for (const name of names)
    await scene.tryKubectl(['delete', 'pods', '--selector', `${side.label}=${name}`, '--grace-period=0', '--force']);
  // The pods of one side are gone before the other side is timed.
  for (const name of names)
    while ((await etcdPods(admin.client, scene.namespace, `${side.label}=${name}`)).length > 0) await sleep(200);
  await sleep(2000);
  return seconds;
}

/**
 * Resolves once all of these serve. Polling takes CPU time from both sides: all pods are read at once, and members are
 * queried only if there are enough of them.
 */
async function healthy(side: Side, names: readonly string[]): Promise<void> {
  const limit = performance.now() + 300_000;
  const missing = new Set(names);
  for (;;) {
    if (performance.now() > limit) throw new Error(`${[...missing].join(', ')} did not become healthy within 300 s`);
    const pods = await etcdPods(admin.client, scene.namespace, side.label);
    const addressed = pods.filter(({ status }) => status?.podIP !== undefined);
    const groups = Map.groupBy(addressed, ({ metadata }) => metadata?.labels?.[side.label] ?? '');
    for (const name of await Promise.all([...missing].map((one) => serves(side, one, groups.get(one) ?? []))))
      missing.delete(name);
    if (missing.size === 0) return;
    await sleep(names.length === 1 ? pollMs : crowdPollMs);
  }
}

/** The name, if all of its members are healthy voters and one has accepted a write; otherwise undefined. */
async function serves({ size }: Side, name: string, pods: readonly Pod[]): Promise<string> {
  if (pods.length < size) return '';
  const { healthy: voters, members } = await viewOf(pods);
  if (voters.length !== size || members !== size) return '';
  await withMember(pods[0]?.status?.podIP ?? '', ({ kv }) => kv.put({ key: toBytes('bench'), value: toBytes('1') }));
  return name;
}
