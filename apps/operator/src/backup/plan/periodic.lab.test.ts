// SPDX-License-Identifier: Apache-2.0

import { hasFinalizer } from '@operator-parts/controller-runtime';
import type { EtcdProcess } from '@operator-parts/etcd/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EtcdBackupStatus } from '../../api/etcd-backup.ts';
import { type Manifest, manifestPath, renderManifest } from '../../storage/manifest.ts';
import { BackupLab } from '../../testing/backup-lab.ts';
import { coreosFinalizer } from '../act/finalizers.ts';
import { parsePeriodicKey } from './backup-names.ts';

let ground: BackupLab;
let member: EtcdProcess;

beforeAll(async () => {
  ground = await BackupLab.start();
  member = await ground.etcd();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const manifest: Manifest = {
  etcdVersion: '3.6.16',
  revision: 1,
  bytes: 1,
  sha256: 'ab'.repeat(32),
  clusterId: 'cd',
  time: '2019-01-01T00:00:00Z',
};

const every = (backupIntervalInSecond: number, maxBackups = 0) => ({
  backupPolicy: { backupIntervalInSecond, maxBackups },
});

async function series(base: string): Promise<readonly string[]> {
  return (await ground.keys(base)).filter((key) => parsePeriodicKey(base, key) !== undefined);
}

describe('[79] periodic backups', () => {
  test('C-32: an interval of 2 s with two to keep makes new ones and takes the oldest away', async () => {
    await ground.create('c32', ground.toS3('c32', [member], every(2, 2)));
    const seen = new Set<string>();
    const first = await ground.until('the oldest is replaced', async () => {
      const keys = await series('c32');
      for (const key of keys) seen.add(key);
      const [oldest] = seen;
      return seen.size > 2 && oldest !== undefined && !keys.includes(oldest) ? oldest : undefined;
    });
    expect(first).toMatch(/^c32_v1_\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d$/);
    await ground.until('two are kept', async () => ((await series('c32')).length === 2 ? true : undefined));
    const manifests = (await ground.keys('c32')).filter((key) => key.endsWith('.manifest.json'));
    expect(manifests.length).toBeLessThanOrEqual(3);
    // Deletes it between two backups, because an upload in progress could still complete.
    await ground.status(
      'c32',
      ({ progress, nextScheduleDate }) => !progress && Date.parse(nextScheduleDate ?? '') - Date.now() > 200,
    );
    await ground.delete('c32');
    await ground.until('gone', () => ground.isGone('c32'));
  });

  test('[87] [82] D21: after deletion nothing is made any more, and what is stored stays', async () => {
    const before = await series('c32');
    expect(before.length).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await series('c32')).toEqual(before);
  });

  test('[80] D18: retention leaves everything alone that is not its own, among a thousand others', async () => {
    const foreign = [
      'kept',
      'kept2_v1_2019-01-01-00:00:00',
      'kept_v1_2019-01-01-00:00:00.txt',
      'kept_vault',
      ...Array.from({ length: 1_050 }, (_, index) => `kept_v1_2019-01-01-00:00:00_${index}`),
    ];
    await ground.write('kept', Buffer.from('older'));
    for (const key of foreign.slice(1)) await ground.s3.seed(key);
    const own = ['kept_v9_2019-01-01-00:00:00', 'kept_v10_2019-01-01-00:00:01', 'kept_v999_2019-01-01-00:00:02'];
    for (const key of own) {
      await ground.s3.seed(key);
      const backup = { namespace: 'default', name: 'kept', uid: 'before' };
      const time = key.replace(/^.*_(\d{4}-\d\d-\d\d)-(.*)$/, '$1T$2Z');
      await ground.write(manifestPath(key), renderManifest({ ...manifest, time, bytes: 1, backup }));
    }
    // A backup of CoreOS etcd-operator, or an unrelated object. Without a manifest this is not known.
    const unknown = 'kept_v8_2019-01-01-00:00:03';
    await ground.s3.seed(unknown);
    await ground.create('kept', ground.toS3('kept', [member], every(3_600, 2)));
    const { conditions } = await ground.succeeded('kept');
    const left = new Set(await ground.keys('kept'));
    for (const key of [...foreign, unknown]) expect(left.has(key)).toBe(true);
    expect(await series('kept')).toEqual(expect.arrayContaining(['kept_v999_2019-01-01-00:00:02']));
    expect((await series('kept')).length).toBe(3);
    expect(conditions?.find(({ type }) => type === 'Pruned')?.message).toBe(
      '1 stored backup is not deleted, because the operator is not certain whose backup it is: the manifest in the backup store is missing, does not match the backup, or names another EtcdBackup',
    );
  });

  test('[81] D22: the interval survives a restart, and one that was missed is made at once', async () => {
    await ground.create('lasting', ground.toS3('lasting', [member], every(3_600)));
    const { lastScheduleDate, nextScheduleDate } = await ground.status('lasting', (status) =>
      Boolean(status.succeeded && status.nextScheduleDate && !status.progress),
    );
    expect(Date.parse(nextScheduleDate ?? '') - Date.parse(lastScheduleDate ?? '')).toBe(3_600_000);
    await ground.stopOperator();
    ground.startOperator();
    await ground.create('other', ground.toS3('other', [member]));
    await ground.succeeded('other');
    expect((await series('lasting')).length).toBe(1);
    await ground.stopOperator();
    await ground.writeStatus('lasting', { lastScheduleDate: '2020-01-01T00:00:00Z' });
    // Names differ only by revision or second, and all this may take less than a second.
    await member.client().kv.put({ key: Buffer.from('newer'), value: Buffer.from('data') });
    ground.startOperator();
    await ground.until('the missed one', async () => ((await series('lasting')).length === 2 ? true : undefined));
  });

  test('a series goes on although its last backup, or its next try, was noted a year ahead', async () => {
    const ahead = new Date(Date.now() + 365 * 24 * 3_600_000).toISOString();
    await ground.create('ahead', ground.toS3('ahead', [member], every(3_600)));
    await ground.succeeded('ahead');
    const goesOn = async (status: EtcdBackupStatus) => {
      const before = (await series('ahead')).length;
      await ground.stopOperator();
      await ground.writeStatus('ahead', status);
      await member.client().kv.put({ key: Buffer.from('ahead'), value: Buffer.from(String(before)) });
      ground.startOperator();
      await ground.until('the next one', async () => ((await series('ahead')).length > before ? true : undefined));
      const after = await ground.status('ahead', ({ succeeded, progress }) => succeeded === true && !progress);
      expect(Date.parse(after.nextScheduleDate ?? '') - Date.now()).toBeLessThanOrEqual(3_600_000);
      expect(after.nextAttemptDate).toBeFalsy();
    };
    await goesOn({ lastScheduleDate: ahead });
    const failing = { succeeded: false, attempts: 3, Reason: 'x', nextAttemptDate: ahead };
    await goesOn({ ...failing, lastScheduleDate: '2020-01-01T00:00:00Z' });
    await ground.delete('ahead');
  });

  test('[82] [83] D22: another interval, a cron expression, a one-shot and back: each works at once', async () => {
    await ground.create('changing', ground.toS3('changing', [member], every(3_600)));
    const { lastScheduleDate } = await ground.succeeded('changing');
    const next = (isNext: (date: number) => boolean) =>
      ground.status('changing', (status) => isNext(Date.parse(status.nextScheduleDate ?? '')));
    await ground.change('changing', every(7_200));
    await next((date) => date === Date.parse(lastScheduleDate ?? '') + 7_200_000);
    const cron = { backupIntervalInSecond: null, schedule: '30 4 * * *' };
    await ground.change('changing', { backupPolicy: cron });
    await next((date) => new Date(date).toISOString().endsWith('T04:30:00.000Z'));
    await ground.change('changing', { backupPolicy: null });
    await ground.status('changing', ({ lastBackup }) => lastBackup?.path === `${ground.s3.bucket}/changing`);
    expect((await series('changing')).length).toBe(1);
    await ground.change('changing', every(1));
    await ground.until('a series again', async () => ((await series('changing')).length >= 2 ? true : undefined));
    await ground.delete('changing');
  });

  test('[82] migration hazard 8: the finalizer of CoreOS etcd-operator is removed, and deletion does not wait for it', async () => {
    await ground.create('adopted', ground.toS3('adopted', [member], every(3_600)), {
      finalizers: [coreosFinalizer, 'example.com/other'],
    });
    await ground.until('finalizer gone', async () => {
      const backup = await ground.get('adopted');
      return hasFinalizer(backup, coreosFinalizer) ? undefined : backup;
    });
    expect((await ground.get('adopted')).metadata?.finalizers).toEqual(['example.com/other']);
  });

  test('[104] a series that CoreOS etcd-operator began goes on under its names, and can be deleted', async () => {
    const finalizers = [coreosFinalizer];
    await ground.create('old-series', ground.toS3('old-series', [member], every(2)), { finalizers });
    const keys = await ground.until('two more', async () => {
      const made = await series('old-series');
      return made.length >= 2 ? made : undefined;
    });
    for (const key of keys) expect(key).toMatch(/^old-series_v\d+_\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d$/);
    await ground.delete('old-series');
    await ground.until('gone', () => ground.isGone('old-series'));
  });
});

describe('[87] deletionPolicy', () => {
  test('Delete takes away what this very object stored, and nothing else', async () => {
    await ground.s3.seed('mine_v3_2019-01-01-00:00:00');
    await ground.create('mine', ground.toS3('mine', [member], { ...every(3_600), deletionPolicy: 'Delete' }));
    await ground.succeeded('mine');
    expect((await series('mine')).length).toBe(2);
    await ground.delete('mine');
    await ground.until('gone', () => ground.isGone('mine'));
    expect(await ground.keys('mine')).toEqual(['mine_v3_2019-01-01-00:00:00']);
  });
});
