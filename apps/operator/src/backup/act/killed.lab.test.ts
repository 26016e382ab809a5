// SPDX-License-Identifier: Apache-2.0
import { seededRandom } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BackupLab } from '../../testing/backup-lab.ts';
import { fillMember, isWhole, killSweep } from '../testing/kill-sweep.ts';

let ground: BackupLab;

beforeAll(async () => {
  ground = await BackupLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

test('[85] fault 48: killed at five random moments, there is a whole backup or none, and the next operator makes it', async () => {
  const moments = 5;
  const random = seededRandom(48);
  const member = await ground.etcd();
  await fillMember(member, 24, random);
  // The CRD exists now. From here on each operator is a separate process.
  await ground.create('first', ground.toS3('first', [member]));
  await ground.succeeded('first');
  await ground.stopOperator();
  const { whole, absent } = await killSweep(ground, member, { key: 'killed', moments, longestMs: 300, random });
  expect(whole + absent).toBe(moments);
  ground.startOperator();
  for (let moment = 0; moment < moments; moment++) {
    await ground.succeeded(`kill-${moment}`);
    expect(await isWhole(ground, `killed-${moment}`)).toBe(true);
  }
  await ground.until('no unfinished upload is left', async () =>
    (await ground.s3.unfinished()).length === 0 ? true : undefined,
  );
});
