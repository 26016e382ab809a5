// SPDX-License-Identifier: Apache-2.0
import { stat } from 'node:fs/promises';
import { openStore } from '@etcd-operator/blob';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RestoreLab } from './testing/restore-lab.ts';

/** A restore of 1 GiB, and what its parts take by themselves, in the same run. */
const values = 1_000;
const mebibyte = 1024 * 1024;

let lab: RestoreLab;
beforeAll(async () => {
  lab = await RestoreLab.start({ nodes: 1 });
}, 120_000);
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
});

async function fillWith(cluster: string): Promise<void> {
  using member = await lab.clusters.member(cluster);
  for (let from = 0; from < values; from += 4) {
    const some = Array.from({ length: 4 }, (_, index) => from + index);
    await Promise.all(
      some.map((index) =>
        member.kv.put({ key: Buffer.from(`large-${index}`), value: Buffer.alloc(mebibyte, `${index} `) }),
      ),
    );
  }
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
};

/** How long the tool of etcd worked, by the node's own record. */
async function toolSeconds(cluster: string): Promise<number> {
  const [pod] = await lab.clusters.pods(cluster);
  const done = pod?.status?.initContainerStatuses?.find(({ name }) => name === 'restore-datadir')?.state?.terminated;
  return (Date.parse(done?.finishedAt ?? '') - Date.parse(done?.startedAt ?? '')) / 1000;
}

test('a snapshot of 1 GiB is restored in a time of the order of its parts', async () => {
  await lab.clusters.create('big', { size: 1, version: '3.6.16' });
  await lab.clusters.settled('big', 60_000);
  await fillWith('big');
  await lab.snapshot('big', 'big.db');
  expect((await stat(lab.file('big.db'))).size).toBeGreaterThan(values * mebibyte);
  const store = await openStore({ kind: 'directory', root: lab.directory });
  const download = await seconds(async () => {
    for await (const _ of store.get('default/big.db'));
  });
  const clusterSpec = { size: 1, version: '3.6.16' };
  const start = await seconds(async () => {
    await lab.clusters.create('empty', clusterSpec);
    await lab.clusters.settled('empty', 60_000);
  });
  const whole = await seconds(async () => {
    await lab.restore('copy', 'big.db', { clusterSpec });
    await lab.succeeded('copy', 600_000);
  });
  const tool = await toolSeconds('copy');
  const ratio = whole / (download + tool + start);
  process.stdout.write(`    1 GiB: ${JSON.stringify({ whole, download, tool, start, ratio })}\n`);
  using member = await lab.clusters.member('copy');
  const all = { key: Buffer.from([0]), rangeEnd: Buffer.from([0]), countOnly: true };
  expect(Number((await member.kv.range(all)).count)).toBe(values);
  expect(ratio).toBeLessThan(10);
}, 1_200_000);
