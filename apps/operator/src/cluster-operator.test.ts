// SPDX-License-Identifier: Apache-2.0
import { customResourceDefinitions, events, pods, services } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { annotations } from './api/names.ts';
import { unseenStatus } from './api/status/unseen-status.ts';
import { ApiServerScene, clusterWith } from './testing/api-server-scene.ts';

let scene: ApiServerScene;

beforeEach(async () => {
  scene = await ApiServerScene.open('other');
  await scene.installCrd();
});

afterEach(() => scene?.[Symbol.asyncDispose]());

const inDefault = (name: string) => ({ namespace: 'default', name });
const podsOf = async (cluster: string, namespace = 'default') =>
  (await scene.client.resource(pods).list({ namespace, labelSelector: `etcd_cluster=${cluster}` })).items;

const seeded = (cluster: string, namespace?: string) =>
  scene.until(`a pod of ${cluster}`, async () => (await podsOf(cluster, namespace))[0]);

const clientService = (cluster: string) =>
  scene.until(`client Service of ${cluster}`, async () => {
    const fieldSelector = `metadata.name=${cluster}-client`;
    return (await scene.client.resource(services).list({ namespace: 'default', fieldSelector })).items[0];
  });

describe('what the operator writes into the object', () => {
  test('[6] nothing goes into a spec: no default, no conversion', async () => {
    const spec = { size: 3, pod: { antiAffinity: true } };
    await scene.clusters.create(clusterWith('plain', spec));
    scene.start();
    await seeded('plain');
    const reported = await scene.until('status', async () => {
      const found = await scene.clusters.get(inDefault('plain'));
      return found.status?.observedGeneration === undefined ? undefined : found;
    });
    expect(reported.spec).toEqual(spec);
    expect(reported.metadata?.generation).toBe(1);
    const ours = reported.metadata?.managedFields?.filter(({ manager }) => manager === 'etcd-operator') ?? [];
    expect(ours.length).toBeGreaterThan(0);
    for (const { fieldsV1 } of ours) expect(fieldsV1).not.toHaveProperty('f:spec');
  });
});

describe('a field that no EtcdCluster has', () => {
  test('is stored as it is, and a condition names it', async () => {
    const misspelt = { size: 3, sizee: 4 };
    await scene.clusters.create(clusterWith('typo', misspelt));
    scene.start();
    const found = await scene.until('UnknownFields', async () => {
      const { status } = await scene.clusters.get(inDefault('typo'));
      return status?.conditions?.find(({ type }) => type === 'UnknownFields');
    });
    expect(found).toMatchObject({ status: 'True', message: expect.stringContaining('spec.sizee is not a field') });
    await scene.clusters.patch(inDefault('typo'), { type: 'merge', patch: { spec: { sizee: null } } });
    await scene.until('the condition is gone', async () => {
      const { status } = await scene.clusters.get(inDefault('typo'));
      return status?.conditions?.some(({ type }) => type === 'UnknownFields') ? undefined : true;
    });
  });
});

describe('[23] the custom resource', () => {
  const name = 'etcdclusters.etcd.database.coreos.com';

  test('is created and waited for', async () => {
    await scene.client.resource(customResourceDefinitions).delete({ name });
    scene.start({ createCrd: true });
    await scene.until('served', async () => {
      const { items } = await scene.client.resource(customResourceDefinitions).list();
      return items.some(({ status }) => status?.conditions?.some(({ type }) => type === 'Established')) || undefined;
    });
    await scene.until('usable', () => scene.clusters.create(clusterWith('a', { size: 1 })).catch(() => undefined));
    expect((await seeded('a')).metadata?.name).toMatch(/^a-/);
  });

  test('is neither created nor looked at when told so', async () => {
    const before = await scene.client.resource(customResourceDefinitions).get({ name });
    scene.start({ createCrd: false });
    await scene.clusters.create(clusterWith('a', { size: 1 }));
    await seeded('a');
    expect(await scene.client.resource(customResourceDefinitions).get({ name })).toEqual(before);
  });
});

describe('[24] which objects it manages', () => {
  const scoped = (name: string, scope: string | undefined, namespace = 'default') =>
    clusterWith(name, { size: 1 }, { namespace, ...(scope && { annotations: { [annotations.scope]: scope } }) });

  test('of one namespace: those there without the annotation (C-06)', async () => {
    for (const cluster of [
      scoped('wide', 'clusterwide'),
      scoped('odd', 'something'),
      scoped('elsewhere', undefined, 'other'),
      scoped('mine', undefined),
    ]) {
      await scene.clusters.create(cluster);
    }
    scene.start({ clusterWide: false });
    await seeded('mine');
    expect(await podsOf('wide')).toEqual([]);
    expect(await podsOf('odd')).toEqual([]);
    expect(await podsOf('elsewhere', 'other')).toEqual([]);
    expect((await scene.clusters.get(inDefault('wide'))).status).toEqual(unseenStatus);
  });

  test.each([
    [false, ['nodes can be read: the operator takes cordoned, lost and out-of-service nodes into account']],
    [true, []],
  ])(
    'nodes, which are in no namespace, are asked for unless the right is certain (cluster-wide: %s)',
    async (clusterWide, said) => {
      const cluster = scoped('a', clusterWide ? 'clusterwide' : undefined);
      await scene.clusters.create(cluster);
      scene.start({ clusterWide });
      await seeded('a');
      const lines = () => scene.log.map(({ message }) => message).filter((message) => message.startsWith('nodes'));
      await scene.until('said', async () => lines().length === said.length || undefined);
      expect(lines()).toEqual(said);
    },
  );

  test('of all namespaces: all but those annotated away, the same name in two of them included (C-03, C-05)', async () => {
    for (const cluster of [
      scoped('plain', undefined),
      scoped('away', 'namespaced'),
      scoped('odd', 'something'),
      scoped('twin', 'clusterwide'),
      scoped('twin', 'clusterwide', 'other'),
    ]) {
      await scene.clusters.create(cluster);
    }
    scene.start({ clusterWide: true });
    const [first, second] = [await seeded('twin'), await seeded('twin', 'other')];
    expect(first.metadata?.name).not.toBe(second.metadata?.name);
    await seeded('plain');
    expect(await podsOf('away')).toEqual([]);
    expect(await podsOf('odd')).toEqual([]);
  });

  test("of all namespaces with CoreOS's rule: those annotated, and no others (C-04)", async () => {
    await scene.clusters.create(scoped('plain', undefined));
    await scene.clusters.create(scoped('wide', 'clusterwide', 'other'));
    scene.start({ clusterWide: true, onlyAnnotated: true });
    await seeded('wide', 'other');
    expect(await podsOf('plain')).toEqual([]);
  });

  test('an object that no operator manages is reported, once', async () => {
    await scene.clusters.create(scoped('odd', 'something'));
    await scene.clusters.create(scoped('mine', undefined));
    scene.start({ clusterWide: true });
    await seeded('mine');
    const told = await scene.until('an event', async () => {
      const { items } = await scene.client.resource(events).list({ namespace: 'default' });
      return items.find(({ involvedObject }) => involvedObject.name === 'odd');
    });
    expect(told).toMatchObject({
      type: 'Warning',
      reason: 'NotResponsible',
      count: 1,
      message: `This operator does not manage this object: the object's scope annotation is "something"; use clusterwide, namespaced, or no annotation.`,
    });
  });

  test('an object that is handed over to another operator is released, and can be taken back', async () => {
    await scene.clusters.create(scoped('moved', undefined));
    scene.start();
    await seeded('moved');
    const hand = (scope: string | null) =>
      scene.clusters.patch(inDefault('moved'), {
        type: 'merge',
        patch: { metadata: { annotations: { [annotations.scope]: scope } } },
      });
    await hand('clusterwide');
    await scene.client.resource(services).delete(inDefault('moved-client'));
    await scene.clusters.create(scoped('marker', undefined));
    await clientService('marker');
    const { items } = await scene.client.resource(services).list({ namespace: 'default' });
    expect(items.map(({ metadata }) => metadata?.name)).not.toContain('moved-client');
    await hand(null);
    await clientService('moved');
  });
});

describe('[27] many clusters, and restless ones', () => {
  test('two hundred that appear at once are all begun', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `c${index}`);
    for (const name of names) await scene.clusters.create(clusterWith(name, { size: 3 }));
    scene.start();
    const seeds = await scene.until('200 seeds', async () => {
      const { items } = await scene.client.resource(pods).list({ namespace: 'default', labelSelector: 'app=etcd' });
      return items.length >= 200 ? items : undefined;
    });
    expect(new Set(seeds.map(({ metadata }) => metadata?.labels?.['etcd_cluster'])).size).toBe(200);
  });

  test('one that is edited all the time is reconciled all the same', async () => {
    await scene.clusters.create(clusterWith('restless', { size: 1 }));
    scene.start();
    await seeded('restless');
    const before = await clientService('restless');
    await scene.client.resource(services).delete(inDefault('restless-client'));
    const stop = new AbortController();
    const edits = (async () => {
      for (let edit = 0; !stop.signal.aborted; edit++) {
        const patch = { metadata: { annotations: { edit: String(edit) } } };
        await scene.clusters.patch(inDefault('restless'), { type: 'merge', patch });
        // The API server is in this process: without a pause it would get no time to run.
        await systemClock.sleep(5);
      }
      return true;
    })();
    const after = await clientService('restless');
    stop.abort();
    expect(await edits).toBe(true);
    expect(after.metadata?.uid).not.toBe(before.metadata?.uid);
  });
});

describe('[28] one broken cluster', () => {
  test('does not keep another from being begun', async () => {
    const stop = scene.start();
    for (let index = 0; index < 20; index++) {
      const name = `broken-${index}`.padEnd(60, 'x');
      await scene.clusters.create(clusterWith(name, { size: 1 }));
    }
    await scene.clusters.create(clusterWith('sound', { size: 1 }));
    await seeded('sound');
    const broken = await scene.until('reported', async () => {
      const found = await scene.clusters.get(inDefault('broken-0'.padEnd(60, 'x')));
      return found.status?.conditions ? found : undefined;
    });
    expect(broken.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Available', status: 'False', reason: 'SpecInvalid' }),
    );
    await stop();
  });
});
