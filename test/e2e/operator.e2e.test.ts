// SPDX-License-Identifier: Apache-2.0
/**
 * The cluster operator as users run it: with the example's rights and manifests, in a namespace that enforces
 * restricted pods.
 */
import type { Pod, Service } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startLocalVolumes } from './testing/local-volumes.ts';
import { etcdCluster, nameOf, nothingLost, OperatorScene, selector } from './testing/scenes/operator-scene.ts';
import { isRunning } from './testing/scenes/pods.ts';
import type { Scene } from './testing/scenes/scene.ts';
import { until, untilTrue } from './testing/until.ts';

// Each has at least three members that start at the same time.
vi.setConfig({ maxConcurrency: 3 });

let here: OperatorScene;
let scene: Scene;

beforeAll(async () => {
  here = await OperatorScene.open('operator');
  scene = here.scene;
});

afterAll(() => here?.[Symbol.asyncDispose]());

/** When its container was first seen to start; a restarted one has that in its last state. */
function startOf({ status }: Pod): number {
  const { state, lastState } = status?.containerStatuses?.[0] ?? {};
  return Date.parse(lastState?.terminated?.startedAt ?? state?.running?.startedAt ?? '');
}

const creationOf = ({ metadata }: Pod) => Date.parse(metadata?.creationTimestamp ?? '');

/**
 * Members that were created before an earlier one had started, by the timestamps in the objects, because polling may be
 * late.
 */
function hasty(pods: readonly Pod[]): readonly string[] {
  // Timestamps are whole seconds: of two with the same creation time, the one that started first was created first.
  const inOrder = pods.toSorted((a, b) => creationOf(a) - creationOf(b) || startOf(a) - startOf(b));
  const isHasty = (pod: Pod, index: number) =>
    inOrder.slice(0, index).some((earlier) => !(startOf(earlier) <= creationOf(pod)));
  return inOrder.filter(isHasty).map(nameOf);
}

describe.concurrent('an EtcdCluster', () => {
  test('gets its members one after the other, says what it is, and takes everything with it when it is deleted (C-20)', async () => {
    const bootstrap = async () => {
      await scene.create(etcdCluster('new', { size: 3, version: '3.6.16' }));
      await here.untilHealthy('new', 3);
    };
    expect(await here.whileWriting('new', bootstrap, { before: 0 })).toMatchObject(nothingLost);
    const members = await until('three pods that the kubelet has told of', async () => {
      const pods = await here.members('new');
      return pods.length === 3 && pods.every(isRunning) ? pods : undefined;
    });
    expect(hasty(members)).toEqual([]);
    for (const name of members.map(nameOf)) expect(name).toMatch(/^new-[bcdfghjklmnpqrstvwxz2456789]{10}$/);
    expect((await scene.get<{ readonly spec: object }>('service', 'new')).spec).toMatchObject({ clusterIP: 'None' });
    await scene.get('service', 'new-client');
    await scene.kubectl('wait', '--for=jsonpath={.status.readySize}=3', 'etcdcluster/new', '--timeout=180s');
    await scene.kubectl('wait', '--for=condition=Available', 'etcdcluster/new', '--timeout=180s');
    const { status } = await scene.get<{ readonly status: object }>('etcdcluster', 'new');
    expect(status).toMatchObject({ phase: 'Running', size: 3, currentVersion: '3.6.16', serviceName: 'new-client' });

    await scene.kubectl('delete', 'etcdcluster', 'new');
    const left = () => scene.kubectl('get', 'pods,services,pdb,pvc', '--selector', selector('new'), '--output=name');
    await untilTrue('nothing is left', async () => (await left()) === '');
  });

  test('of one member says that it is ready (C-23)', async () => {
    await scene.create(etcdCluster('single', { size: 1, version: '3.6.16' }));
    await here.untilHealthy('single', 1);
    const [pod] = await here.members('single');
    const ready = async () => {
      const { status } = await scene.get<{ readonly status?: { readonly members?: { readonly ready?: string[] } } }>(
        'etcdcluster',
        'single',
      );
      return status?.members?.ready?.length === 1 ? status.members.ready : undefined;
    };
    const history = await here.whileWriting('single', async () => {
      expect(await until('one is ready', ready)).toEqual([pod ? nameOf(pod) : '']);
    });
    expect(history).toMatchObject(nothingLost);
    await scene.kubectl('delete', 'etcdcluster', 'single', '--wait=false');
  });

  test('grows and shrinks under a client that writes all the time (C-26, C-27)', async () => {
    await using _cluster = await here.threeMembers('resized');
    const history = await here.whileWriting('resized', async () => {
      await here.change('resized', { size: 5 });
      await here.untilHealthy('resized', 5);
      await here.change('resized', { size: 3 });
      await here.untilHealthy('resized', 3);
    });
    expect(history).toMatchObject(nothingLost);
  });

  test('fault 27: replaces a member whose pod is deleted, and gets its Services back (C-25)', async () => {
    await using _cluster = await here.threeMembers('healed');
    const history = await here.whileWriting('healed', async () => {
      const gone = (await here.members('healed'))[2] ?? {};
      await scene.kubectl('delete', 'pod', nameOf(gone), '--grace-period=0', '--force');
      await here.untilReplaced('healed', 3, gone);
      for (const service of ['healed', 'healed-client']) {
        await scene.kubectl('delete', 'service', service);
        const back = () => scene.get<Service>('service', service);
        expect(await until(`${service} is back`, back)).toMatchObject({ metadata: { name: service } });
      }
      await here.untilHealthy('healed', 3);
    });
    expect(history).toMatchObject(nothingLost);
  });

  test('that is paused is left alone, and is healed when it no longer is (C-21)', async () => {
    await using _cluster = await here.threeMembers('paused');
    const history = await here.whileWriting('paused', async () => {
      await here.change('paused', { paused: true });
      await scene.kubectl('wait', '--for=jsonpath={.status.controlPaused}=true', 'etcd/paused', '--timeout=180s');
      const gone = nameOf((await here.members('paused'))[0] ?? {});
      await scene.kubectl('delete', 'pod', gone, '--grace-period=0', '--force');
      for (let round = 0; round < 10; round++) {
        expect((await here.members('paused')).length).toBe(2);
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
      await here.change('paused', { paused: false });
      await here.untilHealthy('paused', 3);
    });
    expect(history).toMatchObject(nothingLost);
  });

  test('goes from 3.4 to 3.5 to 3.6 to 3.7 in place, and no acknowledged write is lost (C-22)', async () => {
    await using _cluster = await here.threeMembers('upgraded', { version: '3.4.23' });
    const uids = async () => new Set((await here.members('upgraded')).map(({ metadata }) => metadata?.uid));
    const before = await uids();
    const history = await here.whileWriting('upgraded', async () => {
      for (const version of ['3.5.35', '3.6.16', '3.7.3']) {
        await here.change('upgraded', { version });
        await here.untilHealthy('upgraded', 3, ({ versions }) => versions.every((one) => one === version));
        const said = `--for=jsonpath={.status.currentVersion}=${version}`;
        await scene.kubectl('wait', said, 'etcdcluster/upgraded', '--timeout=180s');
      }
    });
    expect(history).toMatchObject(nothingLost);
    expect(await uids()).toEqual(before);
  });

  test('fault 26: with volumes survives the loss of all of its pods at once (C-24)', async () => {
    await using volumes = await startLocalVolumes(scene.cluster);
    const persistentVolumeClaimSpec = {
      storageClassName: volumes.storageClass,
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '512Mi' } },
    };
    await using _cluster = await here.threeMembers('durable', { pod: { persistentVolumeClaimSpec } });
    const history = await here.whileWriting('durable', async () => {
      await scene.kubectl('delete', 'pods', '--selector', selector('durable'), '--grace-period=0', '--force');
      await here.untilHealthy('durable', 3);
    });
    expect(history).toMatchObject(nothingLost);
  });
});

describe('all of this', () => {
  test('was logged without an error', async () => {
    const lines = (await here.operator.log()).trimEnd().split('\n');
    const levels = lines.map((line) => (JSON.parse(line) as { readonly level: string }).level);
    expect(lines.filter((_, index) => levels[index] === 'error')).toEqual([]);
  });
});
