// SPDX-License-Identifier: Apache-2.0
import { killMidPut } from '@operator-parts/blob/testing';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BackupLab } from '../../../testing/backup-lab.ts';

const day = 24 * 3_600_000;
const mebibyte = 1024 * 1024;

let ground: BackupLab;
let aheadMs = 0;

beforeAll(async () => {
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  ground = await BackupLab.start({ operator: { clock } });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

/** Starts to store an object and kills the process. No status mentions this attempt. */
function killed(key: string): Promise<void> {
  const { bucket, endpoint, accessKeyId, secretAccessKey } = ground.s3;
  const credentials = { kind: 'keys', accessKeyId, secretAccessKey } as const;
  const policy = { allowLocal: true };
  return killMidPut({ kind: 's3', bucket, endpoint, forcePathStyle: true, credentials, policy }, key, 5 * mebibyte);
}

test('unfinished uploads of a killed attempt of the series are ended once no attempt can last so long, those of others are not', async () => {
  const own = 'nightly_v7_2026-01-01-00:00:00';
  const others = [
    'nightly2_v7_2026-01-01-00:00:00',
    'nightly_v2_v7_2026-01-01-00:00:00',
    'nightly_vault',
    'team/nightly_v7_2026-01-01-00:00:00',
  ];
  for (const key of [own, ...others]) await killed(key);
  const unfinished = async () => [...(await ground.s3.unfinished())].sort();
  const member = await ground.etcd();
  const backupPolicy = { backupIntervalInSecond: 3_600 };
  await ground.create('nightly', ground.toS3('nightly', [member], { backupPolicy }));
  const { lastExecutionDate } = await ground.succeeded('nightly');
  // As far as this operator knows, another operator may still be writing them.
  expect(await unfinished()).toEqual([own, ...others].sort());

  await ground.stopOperator();
  aheadMs = 9 * day;
  ground.startOperator();
  await ground.status('nightly', (status) => status.lastExecutionDate !== lastExecutionDate && !status.progress);
  expect((await ground.get('nightly')).status).toMatchObject({ succeeded: true });
  expect(await unfinished()).toEqual([...others].sort());
});
