// SPDX-License-Identifier: Apache-2.0
import { isEtcdError } from '@operator-parts/etcd';
import { WatchingClient } from '@operator-parts/etcd/testing';
import { services } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientServiceName } from '../api/names.ts';
import { RestoreLab } from './testing/restore-lab.ts';

describe('EtcdRestore', () => {
  let lab: RestoreLab;
  beforeAll(async () => {
    lab = await RestoreLab.start();
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  const clusterIp = async (name: string) => {
    const key = { namespace: 'default', name: clientServiceName(name) };
    return (await lab.clusters.lab.client().resource(services).get(key)).spec?.clusterIP;
  };

  test('C-31 [89] [94] brings a healthy cluster back under its name: same object and Service, exactly the data of the backup', async () => {
    const { clusters } = lab;
    const before = await clusters.create('example', { size: 3, version: '3.6.16' });
    await clusters.settled('example');
    const address = await clusterIp('example');
    await lab.fill('example', 200);
    await lab.snapshot('example', 'example.db');
    const saved = await lab.contents('example');
    await clusters.put('example', 'key-0', 'newer than the backup');
    await clusters.put('example', 'later', 'x');
    const last = await lab.contents('example');
    await lab.restore('example', 'example.db');
    const status = await lab.succeeded('example');
    const after = await clusters.settled('example');
    expect(after.metadata).toMatchObject({ uid: before.metadata?.uid, name: 'example' });
    expect(after.status).toMatchObject({ incarnation: 2, readySize: 3, clusterID: status.clusterID });
    const found = await lab.contents('example');
    expect(found.keys).toEqual(saved.keys);
    expect(found.revision).toBeGreaterThan(last.revision);
    expect(await clusterIp('example')).toBe(address);
    expect(await clusters.pods('example')).toHaveLength(3);
    expect(status).toMatchObject({ succeeded: true, incarnation: 2, source: { verified: 'Embedded' } });
    expect(status.safetySnapshot).toMatchObject({ path: expect.stringContaining('before-restore') });
    await expectHistoryGone(last.revision + 1n);
  });

  /** A client that has seen newer values than those of the backup must get an error, and must never get an older value. */
  async function expectHistoryGone(startRevision: bigint): Promise<void> {
    using member = await lab.clusters.member('example');
    const seen: unknown[] = [];
    const watching = (async () => {
      for await (const event of member.watch({ key: Buffer.from('key-0'), startRevision })) seen.push(event);
    })();
    await expect(watching).rejects.toSatisfy((error) => isEtcdError(error, 'Compacted'));
    expect(seen).toEqual([]);
  }

  test('[99] deleting the EtcdRestore leaves the cluster', async () => {
    await lab.delete('example');
    expect((await lab.clusters.settled('example')).status?.readySize).toBe(3);
  });

  test('C-52 C-51 [90] [97] brings a cluster back whose members are all gone, by a restore of another name', async () => {
    const { clusters } = lab;
    for (const pod of await clusters.pods('example')) await clusters.deletePod(pod.metadata?.name ?? '', 0);
    await clusters.until('all data lost', async () =>
      (await clusters.get('example')).status?.phase === 'Failed' ? true : undefined,
    );
    await lab.restore('after-disaster', 'example.db', { cluster: 'example' });
    const status = await lab.succeeded('after-disaster');
    expect(status.safetySnapshot?.skipped).toBeDefined();
    const { status: after } = await clusters.settled('example');
    expect(after).toMatchObject({ incarnation: 3, readySize: 3, phase: 'Running' });
    expect((await lab.contents('example')).keys.length).toBeGreaterThan(190);
  });

  test('[90] [94] fault 49: brings a degraded cluster back, and a client that watches all the time sees a compaction, never an older value', async () => {
    const { clusters } = lab;
    await lab.snapshot('example', 'degraded.db');
    const saved = await lab.contents('example');
    await clusters.put('example', 'watched', 'newer than the backup');
    const { revision } = await lab.contents('example');
    using watching = new WatchingClient(() => clusters.member('example'), 'watched', revision);
    await expect.poll(() => watching.seen).toEqual(['newer than the backup']);
    // One of three members is lost, and has not been replaced yet.
    await clusters.stopOperator();
    const [lost] = await clusters.pods('example');
    await clusters.deletePod(lost?.metadata?.name ?? '', 0);
    await lab.restore('while-degraded', 'degraded.db', { cluster: 'example' });
    clusters.startOperator();
    const status = await lab.succeeded('while-degraded', 180_000);
    expect(status.safetySnapshot?.path).toBeDefined();
    expect((await clusters.settled('example')).status).toMatchObject({ incarnation: 4, readySize: 3 });
    expect((await lab.contents('example')).keys).toEqual(saved.keys);
    await expect.poll(() => watching.seen).toEqual(['newer than the backup', 'compacted']);
  }, 300_000);

  test('C-53 D17 [96] makes a new cluster of another name, whose EtcdCluster does not exist', async () => {
    await lab.restore('copy', 'example.db', { clusterSpec: { size: 1, version: '3.6.16' } });
    const status = await lab.succeeded('copy');
    expect(status).toMatchObject({ incarnation: 1 });
    await lab.clusters.settled('copy');
    expect((await lab.contents('copy')).keys).toEqual((await lab.contents('example')).keys);
    expect(await clusterIp('copy')).toBeDefined();
  });
});
