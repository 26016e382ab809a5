// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RestoreLab } from './testing/restore-lab.ts';

let lab: RestoreLab;
beforeAll(async () => {
  lab = await RestoreLab.start({ nodes: 1 });
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
});

test('a backup of a full database is restored with a larger quota, and clients write: the alarm of the old member goes', async () => {
  const { clusters } = lab;
  const quota = (bytes: number) => ({
    pod: { etcdEnv: [{ name: 'ETCD_QUOTA_BACKEND_BYTES', value: String(bytes) }] },
  });
  await clusters.create('full', { size: 1, version: '3.6.16', ...quota(16_777_216) });
  await clusters.settled('full');
  const big = 'x'.repeat(1_000_000);
  const filling = async () => {
    for (let write = 0; write < 40; write++) await clusters.put('full', `big${write}`, big);
  };
  await expect(filling()).rejects.toThrow('space exceeded');
  await lab.snapshot('full', 'full.db');
  const clusterSpec = { size: 1, version: '3.6.16', ...quota(134_217_728) };
  await lab.restore('larger', 'full.db', { clusterSpec });
  await lab.succeeded('larger');
  await clusters.settled('larger');
  await clusters.put('larger', 'small', '1');
  using member = await clusters.member('larger');
  expect(await member.maintenance.alarms()).toEqual([]);
  expect(await clusters.read('larger', 'big0')).toBe(big);
});
