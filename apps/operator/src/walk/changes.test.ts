// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EtcdClusterSpec, etcdClusters } from '../api/etcd-cluster.ts';
import { podFields } from '../cluster/objects/pod-fields.ts';
import { podFacts } from '../cluster/observe/pod-facts.ts';
import { ApiServerScene } from '../testing/api-server-scene.ts';
import { clusterBase, runningPods } from './testing/cluster-outcome.ts';
import { type Leaf, leavesOf, specSchema } from './testing/leaves.ts';
import { createRuntimeClasses } from './testing/named-objects.ts';
import { groundOf, withLeaf } from './testing/place.ts';
import { SimulatedCluster } from './testing/simulated-cluster.ts';
import { badValuesOf, valuesOf } from './testing/values.ts';

const schema = specSchema(etcdClusters);
const leaves = leavesOf(schema).filter((leaf) => valuesOf(leaf).length > 0);

/** All other fields that the leaf needs are set from the beginning, so that only the leaf changes. */
const at = (leaf: Leaf, value: unknown) =>
  withLeaf(schema, groundOf(schema, clusterBase, leaf), leaf, value) as unknown as EtcdClusterSpec;

/** The field of a leaf: `size` for `spec.size`, `pod.labels` for `spec.pod.labels.*`. */
const fieldOf = ({ path }: Leaf) =>
  /^spec\.((pod|service|recovery)\.)?[A-Za-z]+/.exec(path)?.[0].slice('spec.'.length) ?? '';

type Effect = (typeof podFields)[keyof typeof podFields] | 'none';

/** The effect of a change on a running pod, according to the operator's table. */
function effectOf(leaf: Leaf): Effect {
  const field = fieldOf(leaf);
  if (field === 'TLS') return 'replace';
  const [, name = ''] = /^pod\.(.+)$/.exec(field) ?? [];
  return Object.hasOwn(podFields, name) ? podFields[name as keyof typeof podFields] : 'none';
}

describe('a running pod differs from a changed spec as the table of fields says, whichever way it was changed', () => {
  test.each(leaves)('$path', (leaf) => {
    const [first, second = first] = valuesOf(leaf);
    const specs = [at(leaf, undefined), at(leaf, first), at(leaf, second)] as const;
    const ways = [
      [specs[0], specs[1]],
      [specs[1], specs[2]],
      [specs[1], specs[0]],
    ] as const;
    for (const [made, now] of ways) {
      const [pod] = runningPods(made);
      const drift = pod ? podFacts(pod, 'walk-uid', now, () => 1).drift : [];
      const isChanged = JSON.stringify(made) !== JSON.stringify(now);
      expect(drift.map(({ remedy }) => remedy)).toEqual(isChanged ? remediesFor(effectOf(leaf), drift[0]?.remedy) : []);
    }
  });
});

function remediesFor(effect: Effect, found: string | undefined): readonly string[] {
  switch (effect) {
    case 'live':
      return ['inPlace'];
    case 'replace':
      return [found === 'resize' ? 'resize' : 'replace'];
    case 'ignored':
    case 'none':
      return [];
  }
}

/** Fields whose changes are more than updates of objects. Lab tests cover them. */
const beyond: Readonly<Record<string, string>> = {
  size: 'members are added and removed',
  version: 'images are tried, members restarted',
  repository: 'images are tried, members restarted',
  image: 'images are tried, members restarted',
  TLS: 'cannot be turned on or off on a running cluster, which is told',
};

/** Fields that the API server does not allow to be changed in an object: it rejects the spec or the step. */
const fixed: Readonly<Record<string, string>> = {
  'service.loadBalancerClass': 'it stays as long as the type is LoadBalancer',
  'service.ipFamilies': 'the first IP family of a Service stays',
};

/** Fields that the API server keeps in an object until another value is set. */
const kept: Readonly<Record<string, string>> = {
  'service.ipFamilyPolicy': 'Kubernetes never changes between one and two IP families without being told',
};

/** One leaf of each field, because the planner treats all leaves of a field alike. */
const fields = [...new Map([...leaves].reverse().map((leaf) => [fieldOf(leaf), leaf]))].reverse();

test('every exception is of a field that there is', () => {
  const names = new Set(fields.map(([field]) => field));
  expect(Object.keys({ ...beyond, ...fixed, ...kept }).filter((field) => !names.has(field))).toEqual([]);
});

describe('a running cluster ends up the same whichever way its spec came', () => {
  let scene: ApiServerScene;
  let count = 0;
  beforeAll(async () => {
    scene = await ApiServerScene.open();
    await scene.installCrd();
    await createRuntimeClasses(scene.client);
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  const begin = async (spec: EtcdClusterSpec) => {
    const simulated = await SimulatedCluster.begin(scene, `walk-${++count}`, spec);
    expect(await simulated.settle()).toMatchObject({ setback: undefined });
    return simulated;
  };

  test.each(fields.filter(([field]) => !Object.hasOwn(beyond, field)))('%s', async (_field, leaf) => {
    const [first, second = first] = valuesOf(leaf);
    const cluster = await begin(at(leaf, undefined));
    const untouched = await cluster.state();
    // While the cluster is paused, a new spec has no effect.
    const isFollowed = effectOf(leaf) !== 'ignored' && fieldOf(leaf) !== 'paused';
    const become = async (value: unknown): Promise<unknown> => {
      await cluster.declare(at(leaf, value));
      expect(await cluster.settle()).toMatchObject({ setback: undefined });
      const asNew = isFollowed ? await (await begin(at(leaf, value))).state() : untouched;
      expect(await cluster.state()).toEqual(asNew);
      return asNew;
    };
    const isAdmitted = (value: unknown) =>
      cluster.declare(at(leaf, value)).then(
        () => true,
        () => false,
      );
    const stays = async (value: unknown): Promise<void> => {
      const isRefused = !(await isAdmitted(value)) || (await cluster.settle()).setback !== undefined;
      expect(isRefused).toBe(true);
    };
    await become(first);
    await (Object.hasOwn(fixed, fieldOf(leaf)) ? stays(second) : become(second));
    for (const { value } of badValuesOf(leaf)) if (await isAdmitted(value)) await cluster.settle();
    const last = await become(first);
    await cluster.declare(at(leaf, undefined));
    expect(await cluster.settle()).toMatchObject({ setback: undefined });
    expect(await cluster.state()).toEqual(Object.hasOwn(kept, fieldOf(leaf)) ? last : untouched);
  });
});
