// SPDX-License-Identifier: Apache-2.0
import { persistentVolumeClaims, pods, type StatefulSet, statefulSets } from '@operator-parts/kube';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ControllerWorld, podSpec } from '../testing/controller-world.ts';

let world: ControllerWorld;

beforeEach(async () => {
  world = await ControllerWorld.open();
  onTestFinished(() => world[Symbol.asyncDispose]());
});

function statefulSet(change: Partial<NonNullable<StatefulSet['spec']>> = {}): StatefulSet {
  const labels = { app: 'x' };
  const template = { metadata: { labels }, spec: podSpec() };
  return {
    metadata: { name: 's' },
    spec: { replicas: 3, serviceName: 'svc', selector: { matchLabels: labels }, template, ...change },
  };
}

const names = () => world.podNames();
const setImage = { spec: { template: { spec: { containers: [{ name: 'main', image: 'image:2' }] } } } };
const images = async () =>
  Object.fromEntries(
    (await world.list(pods)).map(({ metadata, spec }) => [metadata?.name, spec?.containers[0]?.image]),
  );

describe('a stateful set', () => {
  test('makes its pods in order, each when the one before is ready', async () => {
    world.kubelet = () => 'wait';
    await world.create(statefulSets, statefulSet());
    for (const [index, name] of ['s-0', 's-1', 's-2'].entries()) {
      await world.rest();
      expect(await names()).toHaveLength(index + 1);
      await world.setPod(await world.get(pods, name), 'Running');
    }
    await world.rest();
    const pod = await world.get(pods, 's-1');
    expect(pod.spec).toMatchObject({ hostname: 's-1', subdomain: 'svc' });
    expect(pod.metadata?.labels).toMatchObject({
      'statefulset.kubernetes.io/pod-name': 's-1',
      'apps.kubernetes.io/pod-index': '1',
    });
    expect((await world.get(statefulSets, 's')).status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
    });
  });

  test('makes them all at once if they may be parallel', async () => {
    world.kubelet = () => 'wait';
    await world.create(statefulSets, statefulSet({ podManagementPolicy: 'Parallel' }));
    await world.rest();
    expect(await names()).toEqual(['s-0', 's-1', 's-2']);
  });

  test('removes the highest first, and keeps its PVCs by default', async () => {
    const volumeClaimTemplates = [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } },
      },
    ];
    await world.create(statefulSets, statefulSet({ volumeClaimTemplates }));
    await world.until(async () => (await world.get(statefulSets, 's')).status?.readyReplicas === 3);
    expect((await world.get(pods, 's-2')).spec?.volumes?.[0]).toMatchObject({
      persistentVolumeClaim: { claimName: 'data-s-2' },
    });
    await world.patch(statefulSets, 's', { spec: { replicas: 1 } });
    await world.until(async () => (await names()).join() === 's-0');
    const claims = await world.list(persistentVolumeClaims);
    expect(claims.map(({ metadata }) => metadata?.name ?? '').toSorted()).toEqual(['data-s-0', 'data-s-1', 'data-s-2']);
    expect(claims.every(({ status }) => status?.phase === 'Bound')).toBe(true);
  });

  test('replaces pods from the highest down, not below the partition', async () => {
    await world.create(statefulSets, statefulSet());
    await world.until(async () => (await world.get(statefulSets, 's')).status?.readyReplicas === 3);
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
    await world.patch(statefulSets, 's', { spec: { ...setImage.spec, updateStrategy } });
    await world.rest();
    await world.rest();
    expect(await images()).toEqual({ 's-0': 'image:1', 's-1': 'image:1', 's-2': 'image:2' });
    await world.client.resource(pods).delete({ namespace: 'default', name: 's-0' });
    await world.rest();
    await world.rest();
    expect((await images())['s-0']).toBe('image:1');
    await world.patch(statefulSets, 's', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await world.until(async () => Object.values(await images()).every((image) => image === 'image:2'));
    await world.rest();
    const { status } = await world.get(statefulSets, 's');
    expect(status?.currentRevision).toBe(status?.updateRevision);
  });

  test('that is updated on deletion waits for it', async () => {
    await world.create(statefulSets, statefulSet({ replicas: 1, updateStrategy: { type: 'OnDelete' } }));
    await world.until(async () => (await world.get(statefulSets, 's')).status?.readyReplicas === 1);
    await world.patch(statefulSets, 's', setImage);
    await world.rest();
    expect(await images()).toEqual({ 's-0': 'image:1' });
    await world.client.resource(pods).delete({ namespace: 'default', name: 's-0' });
    await world.until(async () => (await images())['s-0'] === 'image:2');
    expect(await names()).toEqual(['s-0']);
  });
});
