// SPDX-License-Identifier: Apache-2.0
import { isKubeError, namespaces, persistentVolumeClaims, pods } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { etcdClusters } from '../../api/etcd-cluster.ts';
import { labels } from '../../api/names.ts';
import { OperatorLab } from '../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '128Mi' } } } as const;
const key = (name: string | undefined) => ({ namespace: 'default', name: name ?? '' });
const uids = async (cluster: string) => (await ground.pods(cluster)).map(({ metadata }) => metadata?.uid ?? '').sort();

test('fault 50: a cluster whose members all stand still is deleted: it ends, and nothing of another is touched', async () => {
  await ground.create('dead', { size: 3, pod: { persistentVolumeClaimSpec: claim } });
  await ground.settled('dead');
  await ground.create('dead-too', { size: 1, pod: { persistentVolumeClaimSpec: claim } });
  await ground.settled('dead-too');
  const others = await uids('dead-too');
  for (const { metadata } of await ground.pods('dead')) await ground.lab.faults.pod.freeze(key(metadata?.name));
  await ground.delete('dead');
  const list = { namespace: 'default', labelSelector: `${labels.cluster}=dead` };
  await ground.until('nothing is left', async () => {
    const left = [
      ...(await ground.lab.client().resource(pods).list(list)).items,
      ...(await ground.lab.client().resource(persistentVolumeClaims).list(list)).items,
    ];
    return left.length === 0 ? true : undefined;
  });
  expect(await uids('dead-too')).toEqual(others);
  expect((await ground.settled('dead-too')).status?.readySize).toBe(1);
});

test('fault 50: a cluster is deleted with its namespace while its members stand still and a finalizer holds it: nothing is created for it, and all of it goes', async () => {
  const client = ground.lab.client();
  const doomed = { namespace: 'doomed', name: 'held' };
  const inside = { namespace: 'doomed' };
  await ground.stopOperator();
  ground.startOperator({ clusterWide: true });
  await ground.create('outside', { size: 1 });
  await client.resource(namespaces).create({ metadata: { name: 'doomed' } });
  const clusters = client.resource(etcdClusters.resource);
  await clusters.create({
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdCluster',
    metadata: { ...doomed, finalizers: ['example.com/other'] },
    spec: { size: 3, pod: { persistentVolumeClaimSpec: claim, replaceAfter: '5s' } },
  });
  await ground.until('it runs', async () => ((await clusters.get(doomed)).status?.readySize === 3 ? true : undefined));
  await ground.settled('outside');
  const others = await uids('outside');
  // The operator would have enough to do: members to replace, and two more to add.
  for (const { metadata } of (await client.resource(pods).list(inside)).items)
    await ground.lab.faults.pod.freeze({ ...inside, name: metadata?.name ?? '' });
  await clusters.patch(doomed, { type: 'merge', patch: { spec: { size: 5 } } });
  await client.resource(namespaces).delete({ name: 'doomed' });
  await ground.until('the deletion has reached it', async () =>
    (await clusters.get(doomed)).metadata?.deletionTimestamp ? true : undefined,
  );
  const first = ground.requests.length;
  await systemClock.sleep(8_000);
  const writes = ground.requests.slice(first).filter((one) => /^(POST|PUT|PATCH) .*\/doomed\//.test(one));
  expect(writes.filter((one) => !/\/events|\/status\?/.test(one))).toEqual([]);
  expect(writes.length).toBeLessThan(10);
  await clusters.patch(doomed, { type: 'merge', patch: { metadata: { finalizers: null } } });
  await ground.until('the namespace is gone', () =>
    client
      .resource(namespaces)
      .get({ name: 'doomed' })
      .then(
        () => undefined,
        (error: unknown) => isKubeError(error, 'NotFound') || undefined,
      ),
  );
  expect(await uids('outside')).toEqual(others);
  expect((await ground.settled('outside')).status?.readySize).toBe(1);
});
