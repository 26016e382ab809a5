// SPDX-License-Identifier: Apache-2.0
/** The cluster operator as users run it: with the example's rights and manifests, in a namespace that enforces restricted pods. */
import type { Pod, Service } from '@etcd-operator/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordedCalls } from './testing/audit-log.ts';
import { startLocalVolumes, storageClass } from './testing/local-volumes.ts';
import { etcdCluster, nameOf, nothingLost, OperatorScene, selector } from './testing/operator-scene.ts';
import { isRunning } from './testing/pods.ts';
import type { Scene } from './testing/scene.ts';
import { until, untilTrue } from './testing/until.ts';

let here: OperatorScene;
let scene: Scene;

beforeAll(async () => {
  here = await OperatorScene.open('operator', ['etcd@3.5', 'etcd@3.6', 'etcd@3.7']);
  scene = here.scene;
});

afterAll(() => here[Symbol.asyncDispose]());

describe('a new EtcdCluster', () => {
  test('gets its members one after the other, under random names, behind its two Services', async () => {
    await scene.create(etcdCluster('new', { size: 3, version: '3.6.16' }));
    const looks: (readonly Pod[])[] = [];
    await untilTrue('three pods', async () => looks.push(await here.members('new')) > 0 && looks.at(-1)?.length === 3);
    // Whenever one was seen for the first time, those seen before were running.
    const hasty = looks.filter((pods, index) => {
      const before = new Set(looks[index - 1]?.map(nameOf));
      return pods.length > before.size && !pods.filter((pod) => before.has(nameOf(pod))).every(isRunning);
    });
    expect(hasty).toEqual([]);
    for (const name of looks.at(-1)?.map(nameOf) ?? []) {
      expect(name).toMatch(/^new-[bcdfghjklmnpqrstvwxz2456789]{10}$/);
    }
    await here.untilHealthy('new', 3);
    expect((await scene.get<{ readonly spec: object }>('service', 'new')).spec).toMatchObject({ clusterIP: 'None' });
    await scene.get('service', 'new-client');
  });

  test('says what it is', async () => {
    await scene.kubectl('wait', '--for=condition=Available', 'etcdcluster/new', '--timeout=30s');
    const { status } = await scene.get<{ readonly status: object }>('etcdcluster', 'new');
    expect(status).toMatchObject({ phase: 'Running', size: 3, currentVersion: '3.6.16', serviceName: 'new-client' });
  });

  test('takes everything with it when it is deleted', async () => {
    await scene.kubectl('delete', 'etcdcluster', 'new');
    const left = () => scene.kubectl('get', 'pods,services,pdb,pvc', '--selector', selector('new'), '--output=name');
    await untilTrue('nothing is left', async () => (await left()) === '');
    expect(await left()).toBe('');
  });
});

describe('a running cluster', () => {
  test('grows and shrinks under a client that writes all the time', async () => {
    await using _cluster = await here.threeMembers('resized');
    const history = await here.whileWriting('resized', async () => {
      await here.change('resized', { size: 5 });
      await here.untilHealthy('resized', 5);
      await here.change('resized', { size: 3 });
      await here.untilHealthy('resized', 3);
    });
    expect(history).toMatchObject(nothingLost);
  });

  test('replaces a member whose pod is deleted', async () => {
    await using _cluster = await here.threeMembers('healed');
    const history = await here.whileWriting('healed', async () => {
      const [first] = await here.members('healed');
      await scene.kubectl('delete', 'pod', first ? nameOf(first) : '');
      await here.untilHealthy('healed', 3, ({ healthy }) => !healthy.includes(first ? nameOf(first) : ''));
    });
    expect(history).toMatchObject(nothingLost);
  });

  test('gets its Services back', async () => {
    await using _cluster = await here.threeMembers('drifted');
    for (const service of ['drifted', 'drifted-client']) {
      await scene.kubectl('delete', 'service', service);
      const back = () => scene.get<Service>('service', service);
      expect(await until(`${service} is back`, back, { seconds: 10 })).toMatchObject({ metadata: { name: service } });
    }
    await here.untilHealthy('drifted', 3);
  });

  test('goes from 3.5 to 3.6 to 3.7 in place, and no acknowledged write is lost', async () => {
    await using _cluster = await here.threeMembers('upgraded', { version: '3.5.35' });
    const uids = async () => new Set((await here.members('upgraded')).map(({ metadata }) => metadata?.uid));
    const before = await uids();
    const history = await here.whileWriting('upgraded', async () => {
      for (const version of ['3.6.16', '3.7.3']) {
        await here.change('upgraded', { version });
        await here.untilHealthy('upgraded', 3, ({ versions }) => versions.every((one) => one === version));
        const said = `--for=jsonpath={.status.currentVersion}=${version}`;
        await scene.kubectl('wait', said, 'etcdcluster/upgraded', '--timeout=60s');
      }
    });
    expect(history).toMatchObject(nothingLost);
    expect(await uids()).toEqual(before);
  });
});

describe('a cluster with volumes', () => {
  test('survives the loss of all of its pods at once', async () => {
    await using _volumes = await startLocalVolumes(scene.cluster);
    const persistentVolumeClaimSpec = {
      storageClassName: storageClass,
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
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
  test('was done with the rights of the example, which never fell short', async () => {
    const calls = await recordedCalls(scene.cluster, scene.namespace, 'default');
    expect(calls).toContainEqual({ verb: 'create', group: '', resource: 'pods', isForbidden: false });
    expect(calls.filter(({ isForbidden }) => isForbidden)).toEqual([]);
  });

  test('was logged without an error', async () => {
    const lines = (await here.operator.log()).trimEnd().split('\n');
    const levels = lines.map((line) => (JSON.parse(line) as { readonly level: string }).level);
    expect(lines.filter((_, index) => levels[index] === 'error')).toEqual([]);
  });
});
