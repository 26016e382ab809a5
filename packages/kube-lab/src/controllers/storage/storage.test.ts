// SPDX-License-Identifier: Apache-2.0
import {
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  storageClasses,
} from '@operator-parts/kube';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ControllerWorld, podSpec } from '../testing/controller-world.ts';

let world: ControllerWorld;

beforeEach(async () => {
  world = await ControllerWorld.open(['a', 'b']);
  onTestFinished(() => world[Symbol.asyncDispose]());
});

const claim = (storageClassName?: string, storage = '1Gi'): Promise<PersistentVolumeClaim> =>
  world.create(persistentVolumeClaims, {
    metadata: { name: 'c' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
    },
  });
const user = (name = 'p', change = {}) =>
  world.create(pods, {
    metadata: { name },
    spec: podSpec({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }], ...change }),
  });
const phase = async () => (await world.get(persistentVolumeClaims, 'c')).status?.phase;
const bound = () => world.until(async () => (await phase()) === 'Bound');

describe('a claim', () => {
  test('of the default class waits for its first consumer, then gets a volume', async () => {
    await claim();
    await world.rest();
    expect(await phase()).toBe('Pending');
    expect(await world.eventReasons()).toContainEqual(
      'WaitForFirstConsumer: waiting for first consumer to be created before binding',
    );
    await user();
    await bound();
    const { spec, status } = await world.get(persistentVolumeClaims, 'c');
    expect(spec?.storageClassName).toBe('standard');
    expect(status).toMatchObject({ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] });
    const volume = await world.get(persistentVolumes, spec?.volumeName ?? '');
    await world.until(
      async () => (await world.get(persistentVolumes, spec?.volumeName ?? '')).status?.phase === 'Bound',
    );
    expect(volume.spec).toMatchObject({ claimRef: { name: 'c' }, csi: { driver: 'disk.kube-lab' } });
    expect([...world.disks.keys()]).toEqual([volume.metadata?.name]);
    await world.until(async () => (await world.get(pods, 'p')).spec?.nodeName !== undefined);
  });

  test('that is bound at once needs no consumer', async () => {
    await claim('immediate');
    await bound();
    expect(world.disks.size).toBe(1);
  });

  test('of a local class ties its pods to one node', async () => {
    await claim('local');
    await user();
    await bound();
    await world.until(async () => (await world.get(pods, 'p')).spec?.nodeName !== undefined);
    const { nodeName } = (await world.get(pods, 'p')).spec ?? {};
    await world.client.resource(pods).delete({ namespace: 'default', name: 'p' });
    await user('q');
    await world.until(async () => (await world.get(pods, 'q')).spec?.nodeName !== undefined);
    expect((await world.get(pods, 'q')).spec?.nodeName).toBe(nodeName);
  });

  test('whose class is broken stays pending and is tried again', async () => {
    await claim('broken');
    await user();
    await world.rest();
    expect(await phase()).toBe('Pending');
    expect(await world.eventReasons()).toContainEqual(
      'ProvisioningFailed: failed to provision volume with StorageClass "broken": the storage backend refused to make the volume',
    );
    await world.patch(storageClasses, 'broken', { metadata: { labels: { touched: 'yes' } } });
    await world.rest();
    expect(await phase()).toBe('Pending');
  });

  test('of memory has a disk of exactly its size, and grows', async () => {
    await claim('memory', '64Mi');
    await user();
    await bound();
    const [disk] = world.disks.values();
    expect(disk).toEqual({ sizeBytes: 64 * 2 ** 20, memory: true });
    await world.patch(persistentVolumeClaims, 'c', { spec: { resources: { requests: { storage: '128Mi' } } } });
    await world.until(
      async () => (await world.get(persistentVolumeClaims, 'c')).status?.capacity?.['storage'] === '128Mi',
    );
    expect(disk?.sizeBytes).toBe(128 * 2 ** 20);
  });

  test('that is deleted stays as long as a pod uses it, then its volume goes, bytes and all', async () => {
    await claim('immediate');
    await bound();
    await user();
    await world.until(async () => (await world.get(pods, 'p')).status?.phase === 'Running');
    await world.client.resource(persistentVolumeClaims).delete({ namespace: 'default', name: 'c' });
    await world.rest();
    expect(await world.list(persistentVolumeClaims)).toHaveLength(1);
    await world.client.resource(pods).delete({ namespace: 'default', name: 'p' });
    await world.until(async () => (await world.list(persistentVolumeClaims)).length === 0);
    await world.until(async () => (await world.list(persistentVolumes)).length === 0);
    await world.until(() => world.disks.size === 0);
    expect(world.disks.size).toBe(0);
  });

  test('is bound to the smallest volume that fits, made by hand', async () => {
    const volume = (name: string, storage: string) =>
      world.create(persistentVolumes, {
        metadata: { name },
        spec: {
          capacity: { storage },
          accessModes: ['ReadWriteOnce'],
          storageClassName: 'manual',
          persistentVolumeReclaimPolicy: 'Retain',
          hostPath: { path: '/x' },
        },
      });
    for (const [name, size] of [
      ['small', '512Mi'],
      ['large', '10Gi'],
      ['fitting', '2Gi'],
    ] as const)
      await volume(name, size);
    await claim('manual');
    await bound();
    expect((await world.get(persistentVolumeClaims, 'c')).spec?.volumeName).toBe('fitting');
    await world.client.resource(persistentVolumeClaims).delete({ namespace: 'default', name: 'c' });
    await world.until(async () => (await world.get(persistentVolumes, 'fitting')).status?.phase === 'Released');
    expect(await world.list(persistentVolumes)).toHaveLength(3);
  });
});
