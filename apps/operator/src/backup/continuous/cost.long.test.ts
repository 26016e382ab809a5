// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toBytes } from '@operator-parts/etcd';
import type { EtcdProcess } from '@operator-parts/etcd/testing';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BackupLab } from '../../testing/backup-lab.ts';
import {
  BackupOperatorProcess,
  type ProgramStart,
  shippedBackupOperator,
} from '../../testing/backup-operator-process.ts';

const mebibyte = 1024 * 1024;
const [seconds, wantedRate, writers] = [15, 2_000, 64];
let ground: BackupLab;
let folder: string;
let shipped: ProgramStart;

beforeAll(async () => {
  ground = await BackupLab.start();
  folder = await mkdtemp(join(tmpdir(), 'cost-'));
  shipped = await shippedBackupOperator(folder);
});

afterAll(async () => {
  await ground?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Writes for a while, at most at the requested rate. Resolves with the actual rate. */
async function write(member: EtcdProcess): Promise<number> {
  using client = member.client({ timeoutMs: 60_000 });
  const value = Buffer.alloc(512, 'v');
  const begun = systemClock.monotonic();
  let written = 0;
  const elapsed = () => systemClock.monotonic() - begun;
  const writer = async (id: number) => {
    while (elapsed() < seconds * 1_000) {
      while (written > (elapsed() / 1_000) * wantedRate) await systemClock.sleep(5);
      written += 1;
      await client.kv.put({ key: toBytes(`${id}/${written % 1_000}`), value });
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, id) => writer(id)));
  return written / seconds;
}

/** Runs a separate operator with one backup while the test writes to the member. */
async function measure(name: string, more: object) {
  const member = await ground.etcd();
  const operator = new BackupOperatorProcess(ground.lab.kubeconfigPath, shipped);
  const policy = { backupPolicy: { backupIntervalInSecond: 3_600 } };
  await ground.create(name, ground.toS3(name, [member], { ...policy, ...more }));
  await ground.succeeded(name, 60_000);
  if ('continuous' in more) await ground.status(name, ({ recoveryPoint }) => recoveryPoint !== undefined, 60_000);
  const rate = await write(member);
  const behind = systemClock.now() - Date.parse((await ground.get(name)).status?.recoveryPoint?.time ?? '');
  const peak = operator.peakMemory();
  await operator.kill();
  await ground.delete(name);
  return { rate, peak, behind };
}

test('a stream takes at most 60 MB of memory while the cluster is written to', async () => {
  // The CRD exists now. From here on each operator is a separate process.
  await ground.create('first', ground.toS3('first', [await ground.etcd()]));
  await ground.succeeded('first');
  await ground.stopOperator();
  const without = await measure('without', {});
  const recorded = await measure('recorded', { continuous: {} });
  const grown = (recorded.peak - without.peak) / mebibyte;
  const figures = `without: ${without.rate.toFixed(0)} writes/s; recorded: ${recorded.rate.toFixed(0)} writes/s, ${grown.toFixed(1)} MiB more, ${recorded.behind} ms behind`;
  process.stderr.write(`${figures}\n`);
  expect(grown).toBeLessThan(60);
});
