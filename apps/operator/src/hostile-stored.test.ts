// SPDX-License-Identifier: Apache-2.0
import {
  type CustomResourceDefinition,
  customResourceDefinitions,
  events,
  isKubeError,
  KubeError,
  pods,
} from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiServerScene, clusterWith } from './testing/api-server-scene.ts';
import { byHand, type HostileCluster, wrongTypes } from './testing/hostile-clusters.ts';

/** The CRD as CoreOS registered it, in the present API version: no schema, no subresource. */
const oldDefinition: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'etcdclusters.etcd.database.coreos.com' },
  spec: {
    group: 'etcd.database.coreos.com',
    scope: 'Namespaced',
    names: { kind: 'EtcdCluster', listKind: 'EtcdClusterList', plural: 'etcdclusters', shortNames: ['etcd'] },
    versions: [
      {
        name: 'v1beta2',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

let scene: ApiServerScene;
const stored: HostileCluster[] = [];
const legacy = {
  size: 3,
  version: '3.2.13',
  repository: 'quay.io/coreos/etcd',
  baseImage: 'quay.io/coreos/etcd',
  backup: null,
  TLS: null,
  pod: { labels: null, resources: {}, ClusterDomain: '', automountServiceAccountToken: null },
};

beforeAll(async () => {
  scene = await ApiServerScene.open();
  await scene.client.resource(customResourceDefinitions).create(oldDefinition);
  for (const candidate of [...byHand(), ...wrongTypes(180)]) {
    try {
      await scene.clusters.create(candidate.cluster);
      stored.push(candidate);
    } catch (error) {
      // Even that API server validated names and metadata.
      if (!(error instanceof KubeError)) throw error;
    }
  }
  await scene.clusters.create(clusterWith('legacy', legacy));
  await scene.clusters.create({
    ...clusterWith('failed', { size: 3 }),
    status: { phase: 'Failed', reason: 'cluster failed to be created', conditions: 'none', members: [] },
  } as never);
  await scene.clusters.create(clusterWith('sound', { size: 1 }));
  scene.start({ createCrd: true });
});

afterAll(() => scene?.[Symbol.asyncDispose]());

const seedOf = (cluster: string) =>
  scene.until(`seed of ${cluster}`, async () => {
    const found = await scene.client.resource(pods).list({
      namespace: 'default',
      labelSelector: `etcd_cluster=${cluster}`,
    });
    return found.items[0];
  });

describe('[4] [9] objects that were stored before there was a schema', () => {
  test('the definition is brought up to date over them', async () => {
    const found = await scene.until('upgraded', async () => {
      const definition = await scene.client
        .resource(customResourceDefinitions)
        .get({ name: 'etcdclusters.etcd.database.coreos.com' });
      return definition.spec.versions[0]?.subresources?.status ? definition : undefined;
    });
    expect(found.spec.names.shortNames).toEqual(['etcd']);
    expect(stored.length).toBeGreaterThan(270);
  });

  test('a sound cluster among them is begun', async () => {
    expect((await seedOf('sound')).metadata?.name).toMatch(/^sound-/);
  });

  test('[4] one with retired fields and nulls is begun, and loses none of them', async () => {
    await seedOf('legacy');
    const { spec } = await scene.until('status', async () => {
      const found = await scene.clusters.get({ namespace: 'default', name: 'legacy' });
      return found.status?.observedGeneration ? found : undefined;
    });
    expect(spec).toEqual(legacy);
  });

  test('[66] one that the CoreOS operator marked as failed is managed again', async () => {
    await seedOf('failed');
    const { status } = await scene.until('status', async () => {
      const found = await scene.clusters.get({ namespace: 'default', name: 'failed' });
      return found.status?.phase === 'Creating' ? found : undefined;
    });
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Available', status: 'False' }));
  });

  test('every other is reported in its status or by an event, and no unexpected error was thrown', async () => {
    let unreported: readonly string[] = [];
    await scene
      .until('all reported', async () => {
        const { items } = await scene.clusters.list({ namespace: 'default' });
        const warned = (await scene.client.resource(events).list({ namespace: 'default' })).items.filter(
          ({ type }) => type === 'Warning',
        );
        const told = new Set([
          ...items.filter(({ status }) => status?.conditions?.length).map(({ metadata }) => metadata?.name),
          ...warned.map(({ involvedObject }) => involvedObject.name),
        ]);
        // An object whose owner never existed has been deleted by now.
        const present = new Set(items.map(({ metadata }) => metadata?.name));
        unreported = stored
          .filter(({ cluster: { metadata } }) => present.has(metadata?.name) && !told.has(metadata?.name))
          .map(({ what }) => what);
        return unreported.length === 0 || undefined;
      })
      .catch(() => undefined);
    expect(unreported).toEqual([]);
    const unexpected = scene.log.filter(({ fields }) => fields['error'] instanceof TypeError);
    expect(unexpected.map(({ message, fields }) => `${message} ${String(fields['error'])}`)).toEqual([]);
  }, 60_000);

  test('[8] [10] the sentence names what is wrong', async () => {
    const wrong = stored.find(({ what }) => what === 'D1: an operator secret alone');
    const name = wrong?.cluster.metadata?.name ?? '';
    const { status } = await scene.clusters.get({ namespace: 'default', name });
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'Available',
        reason: 'SpecInvalid',
        message: expect.stringContaining('operator secret set but member serverSecret not set'),
      }),
    );
  });

  test('one of them can still be mended', async () => {
    const wrong = stored.find(({ what }) => what === 'pod is "text"') ?? stored[0];
    const name = wrong?.cluster.metadata?.name ?? '';
    const mended = await scene.clusters.patch(
      { namespace: 'default', name },
      { type: 'merge', patch: { spec: { size: 1, pod: null } } },
    );
    expect(isKubeError(mended)).toBe(false);
    expect((await seedOf(name)).metadata?.name).toMatch(new RegExp(`^${name}-`));
  });
});
