// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestAuthority } from '@etcd-operator/tools';
import { formatId } from '@operator-parts/etcd';
import type { EtcdProcess } from '@operator-parts/etcd/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manifestPath, parseManifest } from '../../storage/manifest.ts';
import { BackupLab } from '../../testing/backup-lab.ts';
import { snapshotStatus } from '../../testing/etcd-tools.ts';
import { restoredKeys } from '../testing/restored-keys.ts';
import { secureMember } from '../testing/secure-member.ts';

let ground: BackupLab;
let authority: TestAuthority;
const clientTLSSecret = 'etcd-client-tls';

beforeAll(async () => {
  ground = await BackupLab.start();
  authority = await TestAuthority.create('lab');
  const { cert, key } = await authority.issue({ usages: ['clientAuth'] });
  await ground.secret(clientTLSSecret, { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.ca });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

async function fill(member: EtcdProcess, keys: number): Promise<void> {
  const client = member.client();
  for (let key = 0; key < keys; key++)
    await client.kv.put({ key: Buffer.from(`key-${key}`), value: Buffer.from('value') });
}

describe('[74] a one-shot backup', () => {
  test.each([
    ['3.4', 'without TLS'],
    ['3.5', 'over TLS'],
    ['3.6', 'without TLS'],
    ['3.7', 'over TLS'],
  ])(
    '[85] [86] of etcd %s %s is what its own tool accepts and restores, with the same revision, at exactly the path',
    async (minor, way) => {
      const isSecure = way === 'over TLS';
      const version = { version: minor };
      const member = isSecure ? (await secureMember(ground, authority, version)).member : await ground.etcd(version);
      await fill(member, 5);
      const key = `exact/${minor}/etcd.backup`;
      const name = `etcd-${minor.replace('.', '-')}`;
      const secured = { etcdEndpoints: [`https://127.0.0.1:${member.clientPort}`], clientTLSSecret };
      await ground.create(name, { ...ground.toS3(key, [member]), ...(isSecure && secured) });
      const status = await ground.succeeded(name);
      const stored = await ground.read(key);
      expect(status).toMatchObject({
        Reason: '',
        etcdRevision: 6,
        attempts: 0,
        lastBackup: {
          path: `backups/${key}`,
          bytes: stored.byteLength,
          sha256: createHash('sha256').update(stored).digest('hex'),
        },
      });
      expect(status.etcdVersion).toMatch(new RegExp(`^${minor.replace('.', '\\.')}\\.`));
      expect(Date.parse(status.lastSuccessDate ?? '')).toBeGreaterThan(0);
      const manifest = parseManifest(await ground.read(manifestPath(key)));
      expect(manifest).toMatchObject({ revision: 6, bytes: stored.byteLength, backup: { name, namespace: 'default' } });
      const file = join(ground.etcds.directory, `${minor}.db`);
      await writeFile(file, stored);
      expect(await snapshotStatus(minor, file)).toMatchObject({ revision: 6 });
      await member.stop();
      const keys = ['key-0', 'key-1', 'key-2', 'key-3', 'key-4'];
      expect(await restoredKeys(ground.etcds, minor, file)).toEqual(keys);
    },
    180_000,
  );

  test('of an empty store says revision 1, as the server does', async () => {
    const member = await ground.etcd();
    await ground.create('empty', ground.toS3('empty', [member]));
    expect((await ground.succeeded('empty')).etcdRevision).toBe(1);
  });

  test('[77] D20: endpoints that are down are passed over', async () => {
    const member = await ground.etcd();
    await fill(member, 3);
    const spec = ground.toS3('reachable', [member]);
    const endpoints = ['http://127.0.0.1:1', ...(spec.etcdEndpoints ?? [])];
    await ground.create('reachable', { ...spec, etcdEndpoints: endpoints });
    expect((await ground.succeeded('reachable')).etcdRevision).toBe(4);
  });

  test('of endpoints of two clusters is refused, and both are named', async () => {
    const members = [await ground.etcd(), await ground.etcd()];
    await ground.create('two-clusters', ground.toS3('two-clusters', members));
    const status = await ground.status('two-clusters', ({ attempts }) => (attempts ?? 0) > 0);
    const condition = status.conditions?.find(({ type }) => type === 'Succeeded');
    expect(condition).toMatchObject({ status: 'False', reason: 'DifferentClusters' });
    for (const member of members) {
      const { clusterId } = await member.client().maintenance.status();
      expect(condition?.message).toContain(formatId(clusterId));
    }
    expect(await ground.keys('two-clusters')).toEqual([]);
  });

  test('replaces what was at its path, and only when the new one is complete', async () => {
    const member = await ground.etcd();
    await ground.write('replaced', Buffer.from('older'));
    await ground.create('replaced', ground.toS3('replaced', [member]));
    await ground.succeeded('replaced');
    expect((await ground.read('replaced')).byteLength).toBeGreaterThan(1_000);
  });

  test('whose spec has a misspelt field is made, and a condition names the field until it is removed', async () => {
    const member = await ground.etcd();
    const spec = ground.toS3('typo', [member]);
    const misspelt = { ...spec, s3: { ...spec.s3, awsSecrets: 'aws' }, backupPolicyy: { maxBackups: 3 } };
    await ground.create('typo', misspelt);
    const { conditions } = await ground.succeeded('typo');
    expect(conditions?.find(({ type }) => type === 'UnknownFields')).toMatchObject({
      status: 'True',
      reason: 'NotInSchema',
      message: expect.stringMatching(/^spec\.\S+, spec\.\S+ are not fields of an EtcdBackup and are ignored\./),
    });
    const { message } = conditions?.find(({ type }) => type === 'UnknownFields') ?? {};
    for (const field of ['spec.s3.awsSecrets', 'spec.backupPolicyy']) expect(message).toContain(field);
    await ground.change('typo', { s3: { awsSecrets: null }, backupPolicyy: null });
    await ground.status('typo', (status) => !status.conditions?.some(({ type }) => type === 'UnknownFields'));
  });

  test('security rule 14: no secret is in a log, an event or a status', async () => {
    const marker = ground.s3.secretAccessKey;
    const told = await ground.until('event', async () => {
      const events = await ground.events('replaced');
      return events.some(({ reason }) => reason === 'BackupTaken') ? events : undefined;
    });
    const texts = JSON.stringify([ground.log, told, await ground.get('replaced')]);
    expect(texts).not.toContain(marker);
  });
});

describe('[84] a backup that cannot be made', () => {
  test('is tried again, says how often and why, and succeeds when the cause is gone', async () => {
    const member = await ground.etcd();
    await member.stop('SIGKILL');
    await ground.create('patient', ground.toS3('patient', [member]));
    const failing = await ground.status('patient', ({ attempts }) => (attempts ?? 0) >= 2);
    expect(failing).toMatchObject({ succeeded: false });
    expect(failing.Reason).toContain('failed to create an etcd client from any of the endpoints');
    expect(failing.nextAttemptDate).toBeTruthy();
    await member.start();
    expect(await ground.succeeded('patient')).toMatchObject({ Reason: '', attempts: 0 });
  });

  test.each([
    ['BucketMissing', { path: 'nowhere/key' }],
    ['AccessDenied', { awsSecret: 'wrong' }],
    ['SecretMissing', { awsSecret: 'gone' }],
  ])('[85] %s is said in status, condition and event, and leaves no false success', async (reason, change) => {
    if (reason === 'AccessDenied') {
      const credentials = '[default]\naws_access_key_id = nobody\naws_secret_access_key = nothing\n';
      await ground.secret('wrong', { ...ground.awsFiles(), credentials });
    }
    const member = await ground.etcd();
    const spec = ground.toS3('denied', [member]);
    const name = reason.toLowerCase();
    await ground.create(name, { ...spec, s3: { ...spec.s3, ...change } });
    const status = await ground.status(name, ({ attempts }) => (attempts ?? 0) >= 1);
    expect(status.succeeded).toBe(false);
    expect(status.conditions?.find(({ type }) => type === 'Succeeded')).toMatchObject({ status: 'False', reason });
    // The first retry is soon, because a missing Secret may be applied a moment later. Later retries are less and less frequent.
    const again = await ground.status(name, ({ attempts }) => (attempts ?? 0) >= 2);
    const waits = Date.parse(again.nextAttemptDate ?? '') - Date.parse(status.nextAttemptDate ?? '');
    expect(waits).toBeGreaterThanOrEqual(14_000);
    await ground.until('event', async () => (await ground.events(name)).find((event) => event.reason === reason));
    await member.stop();
  });
});
