// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leapingClock } from '../../../cluster/faults/testing/skewed-clocks.ts';
import { awsSecret, BackupLab } from '../../../testing/backup-lab.ts';
import { RewritingProxy } from '../../testing/rewriting-proxy.ts';

let ground: BackupLab;
const clock = leapingClock();

beforeAll(async () => {
  // The store stays unreachable, so long retries are pointless.
  const retry = { attempts: 2, firstDelayMs: 20, requestTimeoutMs: 4_000 };
  ground = await BackupLab.start({ storage: { policy: { allowLocal: true }, retry }, operator: { clock } });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

test('fault 50: an EtcdBackup is deleted while its store cannot be reached: it waits for ten minutes, goes, and what it stored is left alone and named', async () => {
  const member = await ground.etcd();
  await ground.create('other', ground.toS3('other', [member]));
  await ground.succeeded('other');
  await using proxy = await RewritingProxy.start(ground.s3.port);
  const s3 = { path: `${ground.s3.bucket}/kept`, awsSecret, endpoint: proxy.endpoint, forcePathStyle: true };
  await ground.create('kept', { ...ground.toS3('kept', [member]), s3, deletionPolicy: 'Delete' });
  await ground.succeeded('kept');
  const stored = await ground.keys();
  proxy.fault = async () => 'cut';
  await ground.delete('kept');
  const warned = (reason: string) =>
    ground.until(reason, async () => (await ground.events('kept')).find((event) => event.reason === reason));
  await warned('DeletingBackupsFailed');
  await systemClock.sleep(3_000);
  expect(await ground.isGone('kept')).toBeUndefined();
  clock.leap(10 * 60_000);
  await ground.until('gone', () => ground.isGone('kept'));
  expect((await warned('BackupsLeftBehind')).message).toContain('kept');
  proxy.heal();
  expect(await ground.keys()).toEqual(stored);
  expect((await ground.get('other')).status?.succeeded).toBe(true);
});
