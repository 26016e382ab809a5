// SPDX-License-Identifier: Apache-2.0
import { labEtcd } from '@operator-parts/etcd/testing';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RestoreLab } from './testing/restore-lab.ts';

describe('an EtcdRestore from a cluster that serves', () => {
  let lab: RestoreLab;
  beforeAll(async () => {
    lab = await RestoreLab.start();
    await lab.clusters.create('origin', { size: 3, version: labEtcd.version });
    await lab.clusters.settled('origin');
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  /** Writes one key after the other until it is stopped. Returns which writes were acknowledged, and at which revision. */
  const writer = async (cluster: string) => {
    const member = await lab.clusters.member(cluster);
    const acknowledged = new Map<string, bigint>();
    const failures: unknown[] = [];
    let isStopped = false;
    const running = (async () => {
      for (let count = 0; !isStopped; count++) {
        const key = `w${count}`;
        try {
          const { header } = await member.kv.put({ key: Buffer.from(key), value: Buffer.from(key) });
          acknowledged.set(key, header.revision);
        } catch (error) {
          failures.push(error);
        }
        await systemClock.sleep(5);
      }
    })();
    return {
      acknowledged,
      failures,
      stop: async () => {
        isStopped = true;
        await running;
        member.close();
      },
    };
  };

  /** Every key with the revision of its last write. */
  const revisions = async (cluster: string): Promise<ReadonlyMap<string, bigint>> => {
    using member = await lab.clusters.member(cluster);
    const { kvs } = await member.kv.range({ key: Uint8Array.of(0), rangeEnd: Uint8Array.of(0) });
    return new Map(kvs.map(({ key, modRevision }) => [Buffer.from(key).toString(), modRevision]));
  };

  const identities = async (cluster: string) =>
    (await lab.clusters.pods(cluster)).map(({ metadata }) => `${metadata?.name} ${metadata?.uid}`).sort();

  test('makes a new cluster with all that was acknowledged before, while a client goes on writing; the other is not touched', async () => {
    const writing = await writer('origin');
    const before = { pods: await identities('origin'), cluster: await lab.clusters.get('origin') };
    await expect.poll(() => writing.acknowledged.size).toBeGreaterThan(20);
    const acknowledgedBefore = [...writing.acknowledged.keys()];
    await lab.create('copy', {
      etcdCluster: { name: 'copy' },
      source: { cluster: 'origin' },
      clusterSpec: { size: 1, version: labEtcd.version },
    });
    const { source, clusterID } = await lab.succeeded('copy');
    await writing.stop();
    expect(source).toMatchObject({ path: 'etcdcluster/origin', verified: 'Live', sha256: expect.any(String) });
    expect(writing.failures).toEqual([]);
    const after = await lab.clusters.get('origin');
    expect(await identities('origin')).toEqual(before.pods);
    expect(after.metadata).toMatchObject({
      generation: before.cluster.metadata?.generation,
      uid: before.cluster.metadata?.uid,
    });
    expect(after.metadata?.annotations).toEqual(before.cluster.metadata?.annotations);
    expect(clusterID).not.toBe(after.status?.clusterID);

    await lab.clusters.settled('copy');
    const copied = await revisions('copy');
    for (const key of acknowledgedBefore) expect(copied.has(key)).toBe(true);
    // The keys have no gap up to the revision of the snapshot, which is not below the revision that was read before.
    const last = [...copied.values()].reduce((highest, one) => (one > highest ? one : highest), 0n);
    expect(Number(last)).toBeGreaterThanOrEqual(source?.revision ?? Number.NaN);
    const expected = [...writing.acknowledged].filter(([, revision]) => revision <= last);
    expect(new Map([...copied].filter(([key]) => writing.acknowledged.has(key)))).toEqual(new Map(expected));
    expect(writing.acknowledged.size).toBeGreaterThan(expected.length);
  });

  test('takes size and version from the cluster that is copied, if nothing else is said', async () => {
    await lab.create('twin', { etcdCluster: { name: 'twin' }, source: { cluster: 'copy' } });
    await lab.succeeded('twin');
    expect((await lab.clusters.get('twin')).spec).toMatchObject({ size: 1, version: labEtcd.version });
    expect(await revisions('twin')).toEqual(await revisions('copy'));
  });

  test('replaces nothing: a cluster of that name that is there stays as it is', async () => {
    const before = await identities('twin');
    await lab.create('again', { etcdCluster: { name: 'twin' }, source: { cluster: 'origin' } });
    const { succeeded, reason } = await lab.ended('again');
    expect({ succeeded, reason }).toEqual({
      succeeded: false,
      reason: expect.stringContaining(
        'EtcdCluster twin exists already, but source.cluster can only create a new cluster',
      ),
    });
    expect(await identities('twin')).toEqual(before);
    expect((await lab.clusters.get('twin')).status?.incarnation).toBe(1);
  });

  test('refuses a cluster that took the name of the one that it began with, and leaves nothing', async () => {
    const make = async (key: string) => {
      await lab.clusters.create('short', { size: 1, version: labEtcd.version });
      await lab.clusters.settled('short');
      using member = await lab.clusters.member('short');
      await member.kv.put({ key: Buffer.from(key), value: Buffer.from(key) });
    };
    await make('first');
    await lab.create('late', { etcdCluster: { name: 'late' }, source: { cluster: 'short' } });
    await expect.poll(async () => (await lab.get('late')).status?.source, { interval: 5 }).toBeDefined();
    await lab.stopOperator();
    await lab.clusters.delete('short');
    await lab.clusters.until('it is gone', async () =>
      (await lab.clusters.pods('short')).length === 0 ? true : undefined,
    );
    await make('another');
    lab.startOperator();
    const { succeeded, reason, source } = await lab.ended('late');
    expect({ succeeded, reason }).toEqual({
      succeeded: false,
      reason: expect.stringContaining('etcdcluster/short was replaced or restored after this restore began'),
    });
    expect(reason).toContain(`its cluster ID was ${source?.clusterID} and is now `);
    await expect.poll(() => lab.clusters.pods('late')).toEqual([]);
    expect([...(await revisions('short')).keys()]).toEqual(['another']);
  });

  test('waits for a cluster that is not there, and says so', async () => {
    await lab.create('early', { etcdCluster: { name: 'early' }, source: { cluster: 'nobody' } });
    const reason = async () => (await lab.get('early')).status?.reason;
    await expect
      .poll(reason, { timeout: 60_000 })
      .toContain(
        'spec.source.cluster names etcdcluster/nobody, which does not exist. Create it, or correct spec.source.cluster',
      );
    await lab.delete('early');
  });
});
