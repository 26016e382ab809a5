// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import {
  AzureImmutability,
  type AzureServer,
  GcsRetention,
  type GcsServer,
  startAzurite,
  startFakeGcsServer,
} from '@operator-parts/blob/testing';
import type { EtcdProcess } from '@operator-parts/etcd/testing';
import { systemRandom } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { EtcdBackupStatus } from '../../../api/etcd-backup.ts';
import { manifestPath, parseManifest } from '../../../storage/manifest.ts';
import { awsSecret, BackupLab } from '../../../testing/backup-lab.ts';
import { RewritingProxy, type StoreFault, type StoreRequest } from '../../testing/rewriting-proxy.ts';

let ground: BackupLab;
let member: EtcdProcess;
let azure: AzureServer;
let google: GcsServer;

beforeAll(async () => {
  [ground, azure, google] = await Promise.all([BackupLab.start(), startAzurite(), startFakeGcsServer()]);
  member = await ground.etcd();
});
afterAll(async () => {
  await ground?.[Symbol.asyncDispose]();
  await azure?.stop();
  await google?.stop();
});

const from = () => ({ etcdEndpoints: [`http://127.0.0.1:${member.clientPort}`] });

/** A proxy in front of a store that records the writes. */
async function recorded(port: number): Promise<{ readonly endpoint: string; readonly writes: StoreRequest[] }> {
  const proxy = await RewritingProxy.start(port);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const writes: StoreRequest[] = [];
  proxy.fault = async (asked, pass) => {
    if (asked.method === 'PUT' || asked.method === 'POST') writes.push(asked);
    const answer = await pass();
    // The test server does not encrypt. The proxy adds the header with which S3 confirms encryption.
    const wanted = asked.headers['x-amz-server-side-encryption'];
    return wanted
      ? { ...answer, headers: { ...answer.headers, 'x-amz-server-side-encryption': String(wanted) } }
      : answer;
  };
  return { endpoint: proxy.endpoint, writes };
}

describe('what a spec says of encryption by the store', () => {
  test('goes to S3 with the backup and its manifest', async () => {
    const { endpoint, writes } = await recorded(ground.s3.port);
    const spec = ground.toS3('sse', [member]);
    const serverSideEncryption = { algorithm: 'aws:kms', kmsKeyID: 'alias/backups', bucketKey: true } as const;
    await ground.create('sse', { ...spec, s3: { ...spec.s3, endpoint, serverSideEncryption } });
    await ground.succeeded('sse');
    const stored = writes.map(({ url, headers }) => [
      url.pathname.split('/').at(-1),
      headers['x-amz-server-side-encryption-aws-kms-key-id'],
    ]);
    expect(stored).toEqual([
      ['sse', 'alias/backups'],
      [manifestPath('sse'), 'alias/backups'],
    ]);
  });

  test('is refused in words where S3 does not confirm it', async () => {
    const spec = ground.toS3('unconfirmed', [member]);
    const serverSideEncryption = { algorithm: 'AES256' } as const;
    await ground.create('unconfirmed', { ...spec, s3: { ...spec.s3, serverSideEncryption } });
    const { Reason, conditions } = await ground.status('unconfirmed', ({ attempts }) => (attempts ?? 0) > 0);
    expect(Reason).toContain('the store did not confirm that it encrypts unconfirmed with AES256');
    expect(conditions?.find(({ type }) => type === 'Succeeded')?.reason).toBe('StorageMisconfigured');
    expect(await ground.keys('unconfirmed')).toEqual([]);
  });

  test('goes to Azure with the backup and its manifest', async () => {
    const { endpoint, writes } = await recorded(azure.port);
    await ground.secret('abs', { 'storage-account': azure.account, 'storage-key': azure.accountKey });
    const path = `${azure.container}/scoped`;
    const abs = { path, absSecret: 'abs', endpoint: `${endpoint}/${azure.account}`, encryptionScope: 'backups' };
    await ground.create('scoped', { ...from(), storageType: 'ABS', abs });
    await ground.succeeded('scoped');
    expect(writes.map(({ headers }) => headers['x-ms-encryption-scope'])).toEqual(['backups', 'backups']);
  });

  test('goes to Google with the backup and its manifest', async () => {
    const { endpoint, writes } = await recorded(Number(new URL(google.endpoint).port));
    await ground.secret('gcp', { 'access-token': google.accessToken });
    const kmsKeyName = 'projects/p/locations/eu/keyRings/r/cryptoKeys/k';
    const gcs = { path: `${google.bucket}/keyed`, gcpSecret: 'gcp', endpoint, kmsKeyName };
    await ground.create('keyed', { ...from(), storageType: 'GCS', gcs });
    await ground.succeeded('keyed');
    expect(writes.map(({ url }) => url.searchParams.get('kmsKeyName'))).toEqual([kmsKeyName, kmsKeyName]);
  });
});

const everySecond = { backupIntervalInSecond: 1, maxBackups: 1 };

/** True if the condition reports at least so many locked backups. */
const lockedBackups =
  (count: number) =>
  ({ conditions }: EtcdBackupStatus): boolean => {
    const { reason, message = '' } = conditions?.find(({ type }) => type === 'Pruned') ?? {};
    return reason === 'ObjectLocked' && Number(/locked (\d+) old backup/.exec(message)?.[1]) >= count;
  };

/** Checks that a lock is reported once, and not again after each backup. */
async function saidOnce(name: string): Promise<void> {
  const told = (await ground.events(name)).filter(({ reason }) => reason === 'PruningFailed');
  expect(told.map(({ count = 1 }) => count)).toEqual([1]);
}

/** Stops further backups, except a pending one. */
async function stopped(name: string): Promise<void> {
  await ground.change(name, { backupPolicy: { backupIntervalInSecond: 86_400 } });
}

async function before(port: number, behaviour: StoreFault): Promise<string> {
  const proxy = await RewritingProxy.start(port);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  proxy.fault = behaviour;
  return proxy.endpoint;
}

describe('a series whose backups are locked', () => {
  test('keeps more than maxBackups, says why, and goes on', async () => {
    const { endpoint } = ground.s3;
    await ground.s3.createLockable('locked');
    const objectLock = { mode: 'Governance', days: 7 } as const;
    await ground.create('locked', {
      ...from(),
      storageType: 'S3',
      backupPolicy: everySecond,
      s3: { path: 'locked/series', awsSecret, endpoint, forcePathStyle: true, objectLock },
    });
    const status = await ground.status('locked', lockedBackups(2));
    expect(status).toMatchObject({ succeeded: true, Reason: '' });
    const pruned = status.conditions?.find(({ type }) => type === 'Pruned');
    expect(pruned?.message).toMatch(/^the store has locked \d+ old backups against deletion/);
    await saidOnce('locked');
    await stopped('locked');
    const key = status.lastBackup?.path.slice('locked/'.length) ?? '';
    for (const one of [key, manifestPath(key)])
      expect(await ground.s3.lockOf('locked', one)).toMatchObject({ mode: 'GOVERNANCE' });
  });

  test('keeps them in Google, says why, and deletes those whose lock has ended', async () => {
    // The test server does not support object retention. The proxy implements what Google documents.
    const retention = new GcsRetention();
    const endpoint = await before(google.port, retention.behave);
    await ground.secret('gcp-lock', { 'access-token': google.accessToken });
    const path = `${google.bucket}/kept`;
    const gcs = { path, gcpSecret: 'gcp-lock', endpoint, objectLock: { mode: 'Compliance', days: 7 } } as const;
    await ground.create('google-lock', { ...from(), storageType: 'GCS', backupPolicy: everySecond, gcs });
    const { lastBackup, succeeded } = await ground.status('google-lock', lockedBackups(2));
    expect(succeeded).toBe(true);
    await saidOnce('google-lock');
    const key = lastBackup?.path.slice(`${google.bucket}/`.length) ?? '';
    for (const one of [key, manifestPath(key)]) expect(retention.kept.get(one)).toMatchObject({ mode: 'Locked' });
    for (const [name, { mode }] of retention.kept)
      retention.kept.set(name, { mode, retainUntilTime: '2026-01-01T00:00:00Z' });
    const isOver = ({ retainUntilTime }: { readonly retainUntilTime: string }) => retainUntilTime.startsWith('2026-01');
    await ground.until('those without a lock are deleted', async () => {
      return [...retention.kept.values()].some(isOver) ? undefined : true;
    });
    await stopped('google-lock');
  });

  test('are hidden in Azure, where the locked versions stay', async () => {
    // The test server does not support blob policies. The proxy implements what Azure documents.
    const immutability = new AzureImmutability({ isVersionLevel: true });
    const endpoint = `${await before(azure.port, immutability.behave)}/${azure.account}`;
    await ground.secret('abs-lock', { 'storage-account': azure.account, 'storage-key': azure.accountKey });
    const path = `${azure.container}/kept`;
    const abs = { path, absSecret: 'abs-lock', endpoint, objectLock: { mode: 'Governance', days: 7 } } as const;
    await ground.create('azure-lock', { ...from(), storageType: 'ABS', backupPolicy: everySecond, abs });
    await ground.until('a backup and its manifest are pruned', async () => {
      return immutability.previous.length >= 2 ? true : undefined;
    });
    const { conditions } = await ground.status('azure-lock', ({ lastBackup }) => lastBackup !== undefined);
    expect(conditions?.find(({ type }) => type === 'Pruned')).toMatchObject({ status: 'True' });
    expect(new Set(immutability.previous.map(({ policy }) => policy.mode))).toEqual(new Set(['unlocked']));
    // A policy of the container refuses deletions that the lock of the field would allow. That is reported once, and backups continue.
    immutability.container = { isVersionLevel: true, hasContainerPolicy: true };
    const status = await ground.status('azure-lock', lockedBackups(2));
    expect(status.succeeded).toBe(true);
    await saidOnce('azure-lock');
    await stopped('azure-lock');
  });
});

describe('a series that the operator encrypts', () => {
  test('is stored in several parts, proven and pruned like others, and shows nothing of the data', async () => {
    const large = await ground.etcd();
    const client = large.client();
    onTestFinished(() => client.close());
    const value = Buffer.from('private-sentence '.repeat(60_000));
    for (let index = 0; index < 12; index += 1)
      await client.kv.put({ key: Buffer.from(`private-key-${index}`), value });
    await ground.secret('backup-key', { key: Buffer.from(systemRandom.bytes(32)).toString('base64') });
    await ground.create('encrypted', {
      ...ground.toS3('encrypted', [large]),
      encryption: { secret: 'backup-key' },
      backupPolicy: { backupIntervalInSecond: 1, maxBackups: 1 },
    });
    const first = (await ground.succeeded('encrypted')).lastBackup?.path;
    const isLater = await ground.status(
      'encrypted',
      ({ lastBackup, conditions }) =>
        lastBackup?.path !== first &&
        Boolean(conditions?.some(({ type, status }) => type === 'Pruned' && status === 'True')),
    );
    expect(isLater.succeeded).toBe(true);
    // The current backup finishes, and no further one starts.
    await ground.change('encrypted', { backupPolicy: { backupIntervalInSecond: 86_400 } });
    const [key = '', ...others] = await ground.until('one backup is left', async () => {
      const keys = await ground.keys('encrypted');
      const { progress } = (await ground.get('encrypted')).status ?? {};
      return keys.length === 2 && !progress ? keys : undefined;
    });
    expect(others).toEqual([manifestPath(key)]);
    const stored = await ground.read(key);
    expect(stored.byteLength).toBeGreaterThan(10_000_000);
    expect(stored.includes('private')).toBe(false);
    const sha256 = createHash('sha256').update(stored).digest('hex');
    const manifest = parseManifest(await ground.read(manifestPath(key)));
    expect(manifest).toMatchObject({ bytes: stored.byteLength, sha256, encryption: { algorithm: 'AES-256-GCM' } });
  });
});
