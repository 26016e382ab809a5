// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { Backups } from './testing/backups.ts';
import { Clusters } from './testing/clusters.ts';
import { openGround } from './testing/ground.ts';
import { Scene } from './testing/scene.ts';

/** `PROOF_MEBIBYTES` says how much is proven instead of 1 GiB. */
const mebibytes = Number(process.env['PROOF_MEBIBYTES'] ?? 1_024);
const mebibyte = 1024 * 1024;
const bar = 150;

test('a proof of 1 GiB takes at most 150 MB of memory of the operators, which run as one process', async () => {
  await using ground = await openGround();
  await using scene = await Scene.open(ground, 'proof');
  const clusters = new Clusters(scene);
  const backups = new Backups(scene);
  await backups.allow();
  const etcdEnv = [{ name: 'ETCD_QUOTA_BACKEND_BYTES', value: '8589934592' }];
  await clusters.create({ size: 1, version: '3.6.16', pod: { etcdEnv } });
  await clusters.settled();
  using member = clusters.member();
  for (let index = 0; index < mebibytes; index++)
    await member.kv.put(
      { key: Buffer.from(`large-${index}`), value: Buffer.alloc(mebibyte, `${index} `) },
      { timeoutMs: 60_000 },
    );
  await backups.create('large');
  await scene.until('the backup', async () => (await backups.get('large')).status?.succeeded || undefined, 600_000);
  // From here on nothing but the proof: the process before has made the backup.
  await scene.killOperator();
  scene.startOperator();
  await scene.quiet(10_000);
  const before = scene.peakMemory();
  await backups.change('large', { prove: { everyNth: 1 } });
  const proven = await scene.until(
    'the proof',
    async () => (await backups.get('large')).status?.lastProven ?? undefined,
    1_200_000,
  );
  const grown = (scene.peakMemory() - before) / mebibyte;
  process.stdout.write(
    `    ${mebibytes} MiB proven: ${grown.toFixed(1)} MiB more than ${Math.round(before / mebibyte)} MiB at rest, bar ${bar}\n`,
  );
  expect(proven.keys).toBe(mebibytes);
  expect(grown).toBeLessThan(bar);
});
