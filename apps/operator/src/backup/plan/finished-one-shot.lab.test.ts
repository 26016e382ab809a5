// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { EtcdProcess } from '@operator-parts/etcd/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EtcdBackupSpec } from '../../api/etcd-backup.ts';
import { BackupLab } from '../../testing/backup-lab.ts';

let ground: BackupLab;
let member: EtcdProcess;

beforeAll(async () => {
  ground = await BackupLab.start();
  member = await ground.etcd();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

/** Version of the object at a key: two reads show whether it was written between them. */
async function stored(key: string) {
  const store = await ground.bucket();
  const { modifiedAt, etag } = await store.stat(key);
  store.close();
  return {
    modifiedAt,
    etag,
    sha256: createHash('sha256')
      .update(await ground.read(key))
      .digest('hex'),
  };
}

/** A finished one-shot, and an etcd with newer data: another backup would have different bytes. */
async function finished(name: string): Promise<EtcdBackupSpec> {
  const spec = ground.toS3(name, [member]);
  await ground.create(name, spec);
  await ground.succeeded(name);
  await member.client().kv.put({ key: Buffer.from(name), value: Buffer.from('written after the backup') });
  return spec;
}

/** Waits until the present spec has been reconciled. */
async function settled(name: string, isAsked: (succeeded: boolean) => boolean): Promise<void> {
  const { metadata } = await ground.get(name);
  await ground.status(
    name,
    (status) =>
      status.observedGeneration === metadata?.generation && !status.progress && isAsked(status.succeeded === true),
  );
}

describe('a one-shot backup that is finished', () => {
  test.each([
    ['endpoints', { etcdEndpoints: ['ftp://x'] }, (spec: EtcdBackupSpec) => ({ etcdEndpoints: spec.etcdEndpoints })],
    ['bucket', { s3: { path: 'nowhere/key' } }, (spec: EtcdBackupSpec) => ({ s3: spec.s3 })],
  ])('is not taken again after a typo in its %s and the revert', async (name, typo, revert) => {
    const spec = await finished(name);
    const before = await stored(name);
    const { lastBackup, etcdRevision } = (await ground.get(name)).status ?? {};
    await ground.change(name, typo);
    await settled(name, (succeeded) => !succeeded);
    await ground.change(name, revert(spec));
    await settled(name, (succeeded) => succeeded);
    expect(await stored(name)).toEqual(before);
    const { status } = await ground.get(name);
    expect(status).toMatchObject({ succeeded: true, Reason: '', attempts: 0, lastBackup, etcdRevision });
    const succeeded = status?.conditions?.find(({ type }) => type === 'Succeeded');
    expect(succeeded).toMatchObject({ status: 'True', reason: 'Verified' });
    const told = (await ground.events(name)).filter(({ reason }) => reason === 'BackupTaken');
    expect(told.length).toBe(1);
  });

  test('whose path was changed makes another there, and finds the first again when the change is taken back', async () => {
    const spec = await finished('first');
    const before = await stored('first');
    await ground.change('first', { s3: { path: `${ground.s3.bucket}/second` } });
    await ground.status('first', ({ lastBackup }) => lastBackup?.path === `${ground.s3.bucket}/second`);
    await member.client().kv.put({ key: Buffer.from('more'), value: Buffer.from('data') });
    await ground.change('first', { s3: spec.s3 });
    await ground.status('first', ({ lastBackup }) => lastBackup?.path === `${ground.s3.bucket}/first`);
    expect(await stored('first')).toEqual(before);
    const told = (await ground.events('first')).filter(({ reason }) => reason === 'BackupTaken');
    const paths = new Set(told.map(({ message }) => message?.split(':')[0]));
    expect([told.length, paths]).toEqual([2, new Set(['backups/first', 'backups/second'])]);
  });

  test('that became a series and a one-shot again is not taken again', async () => {
    await finished('turned');
    const before = await stored('turned');
    await ground.change('turned', { backupPolicy: { backupIntervalInSecond: 1 } });
    await ground.status('turned', ({ lastBackup }) => lastBackup?.path.startsWith('backups/turned_v') ?? false);
    await ground.change('turned', { backupPolicy: null });
    await ground.status('turned', ({ lastBackup }) => lastBackup?.path === 'backups/turned');
    expect(await stored('turned')).toEqual(before);
  });

  test('of other endpoints is kept, and says how to get another', async () => {
    await finished('kept');
    const before = await stored('kept');
    const other = await ground.etcd();
    await ground.change('kept', { etcdEndpoints: [`http://127.0.0.1:${other.clientPort}`] });
    await settled('kept', (succeeded) => succeeded);
    expect(await stored('kept')).toEqual(before);
    const event = await ground.until('event', async () =>
      (await ground.events('kept')).find(({ reason }) => reason === 'BackupKept'),
    );
    expect(event.message).toBe(
      'The backup at backups/kept is complete and is not made again. To make another backup, set another path or create another EtcdBackup.',
    );
  });
});
