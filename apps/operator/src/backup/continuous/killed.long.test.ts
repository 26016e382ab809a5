// SPDX-License-Identifier: Apache-2.0
import { toBytes } from '@operator-parts/etcd';
import { seededRandom, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BackupLab } from '../../testing/backup-lab.ts';
import { BackupOperatorProcess } from '../../testing/backup-operator-process.ts';
import { readHistory, readRecorded } from '../testing/recorded.ts';

let ground: BackupLab;

beforeAll(async () => {
  ground = await BackupLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

test('an operator that is killed at random moments leaves no gap in the recorded changes, and nothing twice', async () => {
  const random = seededRandom(24);
  const member = await ground.etcd();
  using client = member.client({ timeoutMs: 60_000 });
  const revision = async () => (await client.kv.range({ key: toBytes('x'), countOnly: true })).header.revision;
  const storedUpTo = (wanted: bigint) =>
    ground.status('killed', ({ recoveryPoint }) => BigInt(recoveryPoint?.revision ?? 0) >= wanted, 120_000);
  const policy = { backupPolicy: { backupIntervalInSecond: 3_600 }, continuous: {} };
  await ground.create('killed', ground.toS3('killed', [member], policy));
  await ground.succeeded('killed');
  await ground.stopOperator();
  let isStopped = false;
  const writing = (async () => {
    for (let count = 0; !isStopped; count += 1) {
      await client.kv.put({ key: toBytes(`k${count % 50}`), value: toBytes(`${count}`) });
      await systemClock.sleep(5);
    }
  })();
  for (let moment = 0; moment < 4; moment += 1) {
    const operator = new BackupOperatorProcess(ground.lab.kubeconfigPath);
    await storedUpTo(await revision());
    await systemClock.sleep(random.next() * 6_000);
    await operator.kill();
  }
  isStopped = true;
  await writing;
  ground.startOperator();
  const last = await revision();
  await storedUpTo(last);
  const { revisions, isChained } = await readRecorded(ground, 'killed');
  expect(revisions).toEqual(await readHistory(member, 2n, last));
  expect(isChained).toBe(true);
});
