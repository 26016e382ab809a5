// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { persistentVolumeClaims } from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recoverByHand } from './testing/by-hand/recover-by-hand.ts';
import { seconds } from './testing/by-hand/time-to-serve.ts';
import { Timeline } from './testing/by-hand/timeline.ts';
import { RestoreLab } from './testing/restore-lab.ts';

/**
 * Compares a recovery from a survivor with 1 GiB on its volume with the time its own pod takes to serve again on that volume, in the same
 * run. Run it alone on the machine: `npm run test:long -- survivor-large`. `RESTORE_MEBIBYTES` sets the size instead of 1 GiB.
 */
const values = Number(process.env['RESTORE_MEBIBYTES'] ?? 1_024);
const mebibyte = 1024 * 1024;
const name = 'large';
const spec = {
  size: 2,
  version: '3.6.16',
  pod: {
    etcdEnv: [{ name: 'ETCD_QUOTA_BACKEND_BYTES', value: '8589934592' }],
    persistentVolumeClaimSpec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '8Gi' } } },
  },
} as const;

let lab: RestoreLab;
beforeAll(async () => {
  lab = await RestoreLab.start({ nodes: 1 });
}, 120_000);
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
});

const settleDisk = () => promisify(execFile)('sync');

async function fill(): Promise<void> {
  using member = await lab.clusters.member(name);
  for (let index = 0; index < values; index++)
    await member.kv.put({ key: Buffer.from(`large-${index}`), value: Buffer.alloc(mebibyte, `${index} `) });
}

test('a cluster is recovered from a survivor with 1 GiB in a time of the order of its own start, printed beside the bar', async () => {
  const { clusters } = lab;
  await clusters.create(name, spec);
  await clusters.settled(name, 120_000);
  await fill();
  const [lost, survivor] = (await clusters.pods(name)).map(({ metadata }) => metadata?.name ?? '');
  await settleDisk();
  const start = await seconds(async () => {
    await clusters.deletePod(survivor ?? '', 0);
    await clusters.until('it is there again', async () => {
      const pod = (await clusters.pods(name)).find(({ metadata }) => metadata?.name === survivor);
      return pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') || undefined;
    });
  });
  await clusters.settled(name, 120_000);
  await clusters.stopOperator();
  const claims = clusters.lab.client().resource(persistentVolumeClaims);
  await claims.delete({ namespace: 'default', name: lost ?? '' });
  await clusters.deletePod(lost ?? '', 0);
  clusters.startOperator();
  await clusters.until(
    'the quorum is lost',
    async () =>
      (await clusters.get(name)).status?.conditions?.some(({ reason }) => reason === 'QuorumLost') || undefined,
  );
  // Until its election timeout etcd itself does not know.
  await clusters.until('the survivor names no leader', async () => {
    using left = await clusters.member(name);
    return (await left.maintenance.status()).leader === 0n || undefined;
  });
  await settleDisk();
  const timeline = new Timeline(lab, name);
  const ours = await seconds(async () => {
    await lab.create(name, { etcdCluster: { name }, source: { survivor: {} } });
    await clusters.until(
      'a client is served',
      async () => {
        if ((await clusters.get(name)).status?.incarnation !== 2) return undefined;
        using member = await clusters.member(name);
        await member.kv.range({ key: Buffer.from('large-0'), countOnly: true });
        return true;
      },
      600_000,
    );
  });
  process.stdout.write(`    ${await timeline.end()}\n`);
  await lab.succeeded(name, 600_000);
  using member = await clusters.member(name);
  const all = { key: Buffer.from([0]), rangeEnd: Buffer.from([0]), countOnly: true };
  expect(Number((await member.kv.range(all)).count)).toBe(values);
  await settleDisk();
  const volume = join(
    clusters.lab.faults.disk.path({ namespace: 'default', name: survivor ?? '' }, 'etcd-data'),
    'data',
  );
  const hand = await recoverByHand(volume, lab.directory);
  // The data is sent twice: to where it is safe before the survivor is stopped, and to the first member.
  const parts = 2 * hand.save + hand.tool + hand.open;
  const ratio = ours / (parts + start);
  process.stdout.write(
    `    ${values} MiB: ${JSON.stringify({ ours, start, ...hand, ratio, overStart: ours / start })}\n`,
  );
}, 1_800_000);
