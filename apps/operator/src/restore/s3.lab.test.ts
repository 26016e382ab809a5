// SPDX-License-Identifier: Apache-2.0
import { openStore } from '@operator-parts/blob';
import { type S3Server, startVersitygw } from '@operator-parts/blob/testing';
import { events, podLogs, pods, secrets } from '@operator-parts/kube';
import { adminIdentity } from '@operator-parts/kube-lab';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RewritingProxy } from '../backup/testing/rewriting-proxy.ts';
import { RestoreLab } from './testing/restore-lab.ts';
import { showStoreToPods, storeImages } from './testing/store-for-pods.ts';

const name = 'example-etcd-cluster';

describe('a backup in S3', () => {
  let lab: RestoreLab;
  let s3: S3Server;
  let aheadMs = 0;
  beforeAll(async () => {
    s3 = await startVersitygw();
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs };
    const retry = { attempts: 2, requestTimeoutMs: 4_000 };
    lab = await RestoreLab.start({ images: [storeImages(s3)], operator: { retry, clock } });
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
    await s3?.stop();
  });

  const keys = () => ({ kind: 'keys', accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey }) as const;

  async function store() {
    const { bucket, endpoint, region } = s3;
    const policy = { allowLocal: true };
    return openStore({ kind: 's3', bucket, endpoint, region, forcePathStyle: true, credentials: keys(), policy });
  }

  test('C-31 [89] restores the cluster of the walk-through, and its credentials are nowhere to be seen', async () => {
    const { clusters } = lab;
    await clusters.create(name, { size: 3, version: '3.6.16' });
    await clusters.settled(name);
    await clusters.put(name, 'foo', 'bar');
    const backups = await store();
    using member = await clusters.member(name);
    await backups.put('etcd.backup', member.maintenance.snapshot());
    await clusters.put(name, 'foo', 'lost');
    const encode = (text: string) => Buffer.from(text).toString('base64');
    const { accessKeyId, secretAccessKey, region, endpoint, bucket } = s3;
    const credentials = `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`;
    const data = { credentials: encode(credentials), config: encode(`[default]\nregion = ${region}\n`) };
    const kube = clusters.lab.client();
    await kube.resource(secrets).create({ metadata: { name: 'aws', namespace: 'default' }, data });
    await lab.create(name, {
      etcdCluster: { name },
      backupStorageType: 'S3',
      s3: { path: `${bucket}/etcd.backup`, awsSecret: 'aws', endpoint, forcePathStyle: true },
    });
    await clusters.until('a seed is there', async () => {
      const seed = (await clusters.pods(name)).find((pod) =>
        pod.spec?.initContainers?.some(({ name: init }) => init === 'fetch-backup'),
      );
      return seed && expectNoSecret(seed);
    });
    const status = await lab.succeeded(name);
    expect((await clusters.settled(name)).status?.readySize).toBe(3);
    expect(await clusters.read(name, 'foo')).toBe('bar');
    const saved = status.safetySnapshot?.path ?? '';
    expect(saved).toContain(`${bucket}/etcd.backup.before-restore-`);
    expect((await backups.stat(saved.slice(bucket.length + 1))).bytes).toBe(status.safetySnapshot?.bytes);
    backups.close();
    expectNoSecret(status);
    expectNoSecret(lab.log);
    expectNoSecret((await kube.resource(events).list({ namespace: 'default' })).items);
    expectNoSecret((await kube.resource(pods).list({ namespace: 'default' })).items);
  });

  test('D35 a name that is free: its new member reads the store by itself, once, and its presigned URL is nowhere to be seen', async () => {
    const { clusters } = lab;
    const copy = 'copy';
    const { bucket } = s3;
    const endpoint = await showStoreToPods(lab, s3);
    await lab.create(copy, {
      etcdCluster: { name: copy },
      backupStorageType: 'S3',
      s3: { path: `${bucket}/etcd.backup`, awsSecret: 'aws', endpoint, forcePathStyle: true },
      clusterSpec: { size: 1, version: '3.6.16' },
    });
    const status = await lab.succeeded(copy);
    expect(status.source).toMatchObject({ verified: 'Embedded', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    await clusters.settled(copy);
    expect(await clusters.read(copy, 'foo')).toBe('bar');
    const kube = clusters.lab.client();
    const [seed] = await clusters.pods(copy);
    const key = { namespace: 'default', name: seed?.metadata?.name ?? '' };
    const said = await logOf(key);
    expect(said).toContain('received');
    expect(said).not.toContain('Waiting for the operator to send the backup');
    const seen = [status, lab.log, said, (await kube.resource(events).list({ namespace: 'default' })).items, seed];
    expectNoSecret(seen);
  });

  test('from a store that sends 2 bytes per second the restore fails, says why and what to do, and touches nothing', async () => {
    const { clusters } = lab;
    const before = await clusters.settled(name);
    await using proxy = await RewritingProxy.start(s3.port);
    proxy.fault = async (asked, pass) => {
      const answer = await pass();
      const isSource = asked.method === 'GET' && asked.url.pathname.endsWith('/etcd.backup');
      return isSource ? { ...answer, trickle: { bytes: 2, everyMs: 1_000 } } : answer;
    };
    await lab.create('slow', {
      etcdCluster: { name },
      backupStorageType: 'S3',
      s3: { path: `${s3.bucket}/etcd.backup`, awsSecret: 'aws', endpoint: proxy.endpoint, forcePathStyle: true },
    });
    const slow = 'reading etcd.backup: the backup store sent less than 128 KiB/s for 4 s';
    await clusters.until('the status says that it is slow', async () => {
      const { status } = await lab.get('slow');
      return status?.phase === 'Verifying' && status.reason?.includes(`${slow}; trying again`) ? true : undefined;
    });
    // Ten minutes later.
    aheadMs += 600_000;
    const status = await lab.ended('slow');
    expect(status).toMatchObject({ phase: 'Failed', succeeded: false });
    expect(status.reason).toContain(slow);
    expect(status.reason).toContain(
      'Check the backup store, and the network between the backup store and the operator',
    );
    expect((await clusters.settled(name)).status).toMatchObject({
      incarnation: before.status?.incarnation,
      members: before.status?.members,
    });
    expect(await clusters.read(name, 'foo')).toBe('bar');
  });

  async function logOf(pod: { readonly namespace: string; readonly name: string }): Promise<string> {
    const pieces: Uint8Array[] = [];
    const transport = lab.clusters.lab.server.transport(adminIdentity);
    for await (const piece of podLogs(transport, pod, { container: 'fetch-backup' })) pieces.push(piece);
    return Buffer.concat(pieces).toString('utf8');
  }

  function expectNoSecret(what: unknown): true {
    const text = JSON.stringify(what, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    expect(text).not.toContain(s3.secretAccessKey);
    expect(text).not.toMatch(/X-Amz-(Signature|Credential)/i);
    return true;
  }
});
