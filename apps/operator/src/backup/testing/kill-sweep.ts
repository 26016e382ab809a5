// SPDX-License-Identifier: Apache-2.0

import { verifySnapshot } from '@operator-parts/etcd';
import type { EtcdProcess } from '@operator-parts/etcd/testing';
import { type Random, systemClock } from '@operator-parts/ports';
import type { BackupLab } from '../../testing/backup-lab.ts';
import { BackupOperatorProcess } from '../../testing/backup-operator-process.ts';

/** Fills a member with this many MiB of data that does not compress. */
export async function fillMember(member: EtcdProcess, mebibytes: number, random: Random): Promise<void> {
  const client = member.client({ timeoutMs: 60_000 });
  const value = Buffer.alloc(1024 * 1024);
  for (let index = 0; index < mebibytes; index++) {
    // Random data in every sector, so that the file is not sparse or compressible.
    for (let at = 0; at < value.byteLength; at += 512) value.writeDoubleLE(random.next(), at);
    await client.kv.put({ key: Buffer.from(`big-${index}`), value });
  }
}

/**
 * Kills the operator at random moments of a backup of `key`, and starts a new one each time. After every kill the object is complete or
 * absent. Resolves when the last operator has made the backup.
 */
export async function killSweep(
  ground: BackupLab,
  member: EtcdProcess,
  options: { readonly key: string; readonly moments: number; readonly longestMs: number; readonly random: Random },
): Promise<{ readonly whole: number; readonly absent: number }> {
  const { key, moments, longestMs, random } = options;
  const seen = { whole: 0, absent: 0 };
  for (let moment = 0; moment < moments; moment++) {
    const name = `kill-${moment}`;
    const path = `${key}-${moment}`;
    const operator = new BackupOperatorProcess(ground.lab.kubeconfigPath);
    await ground.create(name, ground.toS3(path, [member]));
    await ground.status(name, ({ progress, succeeded }) => Boolean(progress ?? succeeded), 60_000);
    await systemClock.sleep(random.next() * longestMs);
    await operator.kill();
    if (await isWhole(ground, path)) seen.whole += 1;
    else seen.absent += 1;
  }
  return seen;
}

/** True if the object is complete and valid, false if it is absent. Throws if it exists but is incomplete or damaged. */
export async function isWhole(ground: BackupLab, key: string): Promise<boolean> {
  if (!(await ground.keys(key)).includes(key)) return false;
  const store = await ground.bucket();
  try {
    for await (const _ of verifySnapshot(store.get(key)));
    return true;
  } finally {
    store.close();
  }
}
