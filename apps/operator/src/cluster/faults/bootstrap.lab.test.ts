// SPDX-License-Identifier: Apache-2.0
import { createClient, persistentVolumeClaims, pods } from '@operator-parts/kube';
import { adminIdentity } from '@operator-parts/kube-lab';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labels } from '../../api/names.ts';
import { OperatorLab } from '../../testing/operator-lab.ts';
import { listedMembers } from './testing/listed-members.ts';
import { crashAfter, crashBefore } from './testing/operator-crash.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const persistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '128Mi' } },
} as const;
const key = (name: string) => ({ namespace: 'default', name });
const names = async (cluster: string) =>
  (await ground.pods(cluster)).map(({ metadata }) => metadata?.name ?? '').sort();
const uids = async (cluster: string) => (await ground.pods(cluster)).map(({ metadata }) => metadata?.uid ?? '').sort();
const claims = async (cluster: string) => {
  const select = { namespace: 'default', labelSelector: `${labels.cluster}=${cluster}` };
  return (await ground.lab.client().resource(persistentVolumeClaims).list(select)).items;
};
const claimNames = async (cluster: string) =>
  (await claims(cluster)).map(({ metadata }) => metadata?.name ?? '').sort();
const words = async (cluster: string) => JSON.stringify((await ground.get(cluster)).status);

describe('the operator ends while a cluster is bootstrapped', () => {
  test('fault 1: before the first pod exists: the next one creates the same first member, and there is one cluster', async () => {
    const crash = crashBefore(ground, { verb: 'create', resource: 'pods' });
    await ground.create('uncreated', { size: 3, pod: { persistentVolumeClaimSpec } });
    await crash;
    const [first] = await claimNames('uncreated');
    expect(await names('uncreated')).toEqual([]);
    ground.startOperator();
    const { status } = await ground.settled('uncreated');
    expect(status?.phase).toBe('Running');
    expect(await names('uncreated')).toContain(first);
    expect(await claimNames('uncreated')).toEqual(await names('uncreated'));
    expect(await listedMembers(ground, 'uncreated')).toMatchObject({ clusterId: status?.clusterID, learners: [] });
  });

  test('fault 2: after the first pod was created: it is recognised, and there is no second first member', async () => {
    const crash = crashAfter(ground, { verb: 'create', resource: 'pods' });
    await ground.create('unnoted', { size: 3 });
    await crash;
    const [first = ''] = await uids('unnoted');
    ground.startOperator();
    const { status } = await ground.settled('unnoted');
    expect(await uids('unnoted')).toContain(first);
    const { clusterId, voters } = await listedMembers(ground, 'unnoted');
    expect({ clusterId, voters: voters.length }).toEqual({ clusterId: status?.clusterID, voters: 3 });
  });
});

describe('an operator that does not see what runs', () => {
  test('fault 4: started beside an old view without pods it bootstraps nothing and removes no member', async () => {
    const client = 'stale-operator';
    const old = ground.lab.server.faults.lag({ client, resource: 'pods', verb: ['list', 'watch'] }, 0, {
      staleReads: true,
    });
    old.freeze();
    await ground.create('hidden', { size: 3 });
    await ground.settled('hidden');
    await ground.put('hidden', 'a', '1');
    await ground.stopOperator();
    const before = { listed: await listedMembers(ground, 'hidden'), uids: await uids('hidden') };
    ground.startOperator({ client: createClient(ground.lab.server.transport({ ...adminIdentity, client })) });
    const expectUntouched = async () => {
      expect(await listedMembers(ground, 'hidden')).toEqual(before.listed);
      expect(await uids('hidden')).toEqual(before.uids);
      return (await ground.get('hidden')).status?.readySize;
    };
    await ground.until(
      'it has looked, and has seen no pods',
      async () => ((await expectUntouched()) === 0 ? true : undefined),
      undefined,
      () => words('hidden'),
    );
    const end = systemClock.monotonic() + 8_000;
    while (systemClock.monotonic() < end) {
      expect(await expectUntouched()).toBe(0);
      await systemClock.sleep(250);
    }
    await ground.stopOperator();
    old.remove();
    ground.startOperator();
    await ground.settled('hidden');
    expect(await uids('hidden')).toEqual(before.uids);
    expect(await ground.read('hidden', 'a')).toBe('1');
  });
});

describe('data that is gone', () => {
  test('fault 5: the first member comes back on an empty volume: it is replaced, and is never Ready with nothing in it', async () => {
    await ground.create('first', { size: 1, pod: { persistentVolumeClaimSpec } });
    await ground.settled('first');
    const [seed = ''] = await names('first');
    await ground.change('first', { size: 3 });
    const { status } = await ground.settled('first');
    await ground.put('first', 'a', '1');
    const before = await listedMembers(ground, 'first');
    const seedId = status?.memberDetails?.find(({ name }) => name === seed)?.id ?? '';
    await ground.lab.faults.disk.blank(key(seed), 'etcd-data');
    await ground.lab.faults.pod.signal(key(seed), 'SIGKILL', 'etcd');
    const isReplaced = async () => {
      // While the pod is Ready it must serve the data that was written.
      const pod = (await ground.pods('first')).find(({ metadata }) => metadata?.name === seed);
      const isReady = pod?.status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
      const ran = pod?.status?.containerStatuses?.[0]?.restartCount ?? 0;
      expect(isReady && ran > 0, 'a blank first member is Ready').not.toBe(true);
      const { ids, clusterId } = await listedMembers(ground, 'first');
      expect(clusterId).toBe(before.clusterId);
      return ids.includes(seedId) ? undefined : true;
    };
    await ground.until('replaced', isReplaced, 120_000, () => words('first'));
    await ground.settled('first');
    expect((await ground.get('first')).status?.clusterID).toBe(before.clusterId);
    expect(await ground.read('first', 'a')).toBe('1');
  });

  test('fault 6: every pod of a cluster without volumes is gone: it says that the data is lost, and bootstraps nothing', async () => {
    await ground.create('lost', { size: 3 });
    const { status } = await ground.settled('lost');
    await Promise.all((await names('lost')).map((name) => ground.deletePod(name, 0)));
    const told = await ground.until('told', async () =>
      (await ground.get('lost')).status?.conditions?.find(({ reason }) => reason === 'DataLost'),
    );
    expect(told.message).toMatch(/restore/i);
    await systemClock.sleep(3_000);
    expect(await ground.pods('lost')).toEqual([]);
    expect((await ground.get('lost')).status?.clusterID).toBe(status?.clusterID);
  });
});

describe('the same name again', () => {
  test('fault 7: created again while a pod and a volume of the old one stay: a new cluster that has nothing of it', async () => {
    await ground.create('again', { size: 3, pod: { persistentVolumeClaimSpec } });
    const old = await ground.settled('again');
    await ground.put('again', 'a', 'old');
    const [kept = ''] = await names('again');
    const oldVolumes = (await claims('again')).map(({ metadata }) => metadata?.uid);
    const stay = { type: 'merge', patch: { metadata: { finalizers: ['example.com/stays'] } } } as const;
    const go = { type: 'merge', patch: { metadata: { finalizers: null } } } as const;
    const client = ground.lab.client();
    await client.resource(pods).patch(key(kept), stay);
    await client.resource(persistentVolumeClaims).patch(key(kept), stay);
    await ground.delete('again');
    await ground.until('deleted', async () =>
      ground.get('again').then(
        () => undefined,
        () => true,
      ),
    );
    await ground.create('again', { size: 3, pod: { persistentVolumeClaimSpec } });
    await systemClock.sleep(3_000);
    await client.resource(pods).patch(key(kept), go);
    const { status } = await ground.settled('again');
    expect(status?.clusterID).not.toBe(old.status?.clusterID);
    expect(await names('again')).not.toContain(kept);
    expect(await ground.read('again', 'a')).toBeUndefined();
    const mounted = await names('again');
    const used = (await claims('again')).filter(({ metadata }) => mounted.includes(metadata?.name ?? ''));
    expect(used).toHaveLength(3);
    for (const { metadata } of used) expect(oldVolumes).not.toContain(metadata?.uid);
    await client.resource(persistentVolumeClaims).patch(key(kept), go);
  });
});

describe('another size while members join', () => {
  test('fault 10: three, five, one: it arrives at one member of one cluster', async () => {
    const clusterIds = new Set<string>();
    await ground.create('wavering', { size: 3 });
    const reaches = (count: number) =>
      ground.until(`${count} pods`, async () => {
        const id = (await ground.get('wavering')).status?.clusterID;
        if (id) clusterIds.add(id);
        return (await ground.pods('wavering')).length >= count ? true : undefined;
      });
    await reaches(1);
    await ground.change('wavering', { size: 5 });
    await reaches(2);
    await ground.change('wavering', { size: 1 });
    const { status } = await ground.settled('wavering');
    clusterIds.add(status?.clusterID ?? '');
    expect([...clusterIds]).toHaveLength(1);
    await ground.until('one pod', async () => ((await ground.pods('wavering')).length === 1 ? true : undefined));
    const { clusterId, ids } = await listedMembers(ground, 'wavering');
    expect({ clusterId, size: ids.length }).toEqual({ clusterId: status?.clusterID, size: 1 });
    await ground.put('wavering', 'a', '1');
  });
});
