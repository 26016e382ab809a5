// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type BlobStore, openStore } from '@operator-parts/blob';
import { type S3Server, startVersitygw } from '@operator-parts/blob/testing';
import { secrets } from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { restoreByHand } from './testing/by-hand/restore-by-hand.ts';
import { threeByHand } from './testing/by-hand/three-by-hand.ts';
import { seconds } from './testing/by-hand/time-to-serve.ts';
import { Timeline } from './testing/by-hand/timeline.ts';
import { RestoreLab } from './testing/restore-lab.ts';
import { showStoreToPods, storeImages } from './testing/store-for-pods.ts';

/**
 * Compares a restore of 1 GiB from S3 with the time of its parts in the same run: download into a file, etcd's own tool, and the start of a
 * pod. Both sides take turns; all writes are on the disk before one begins. Run it alone on the machine: `npm run test:long -- large`.
 * `RESTORE_ROUNDS` is the number of rounds, `RESTORE_MEBIBYTES` the size instead of 1 GiB, and `RESTORE_SIZE` the number of voters that
 * must be healthy in the end; each of them gets all data from the first one. `RESTORE_VOLUMES=1` gives them volumes. With three voters, the
 * time of restoring three members side by side by hand is printed as well.
 */
const values = Number(process.env['RESTORE_MEBIBYTES'] ?? 1_024);
const mebibyte = 1024 * 1024;
const rounds = Number(process.env['RESTORE_ROUNDS'] ?? 3);
const size = Number(process.env['RESTORE_SIZE'] ?? 1);
const bar = size === 1 ? 1.05 : 1.3;
const persistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '8Gi' } },
} as const;
const clusterSpec = {
  size,
  version: '3.6.16',
  pod: {
    etcdEnv: [{ name: 'ETCD_QUOTA_BACKEND_BYTES', value: '8589934592' }],
    ...(process.env['RESTORE_VOLUMES'] && { persistentVolumeClaimSpec }),
  },
};

let lab: RestoreLab;
let s3: S3Server;
let store: BlobStore;
/** The endpoint at which pods also find the objects. */
let shown = '';
beforeAll(async () => {
  s3 = await startVersitygw();
  lab = await RestoreLab.start({ nodes: 1, images: [storeImages(s3)] });
  shown = await showStoreToPods(lab, s3);
  const { bucket, endpoint, region, accessKeyId, secretAccessKey } = s3;
  const credentials = { kind: 'keys', accessKeyId, secretAccessKey } as const;
  const policy = { allowLocal: true };
  store = await openStore({ kind: 's3', bucket, endpoint, region, forcePathStyle: true, credentials, policy });
}, 120_000);
afterAll(async () => {
  store?.close();
  await lab?.[Symbol.asyncDispose]();
  await s3?.stop();
});

async function fillAndSave(cluster: string): Promise<void> {
  using member = await lab.clusters.member(cluster);
  for (let from = 0; from < values; from += 4) {
    const some = Array.from({ length: 4 }, (_, index) => from + index);
    await Promise.all(
      some.map((index) =>
        member.kv.put({ key: Buffer.from(`large-${index}`), value: Buffer.alloc(mebibyte, `${index} `) }),
      ),
    );
  }
  await store.put('big.db', member.maintenance.snapshot());
}

async function putCredentials(): Promise<void> {
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const { accessKeyId, secretAccessKey, region } = s3;
  const credentials = `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`;
  const data = { credentials: encode(credentials), config: encode(`[default]\nregion = ${region}\n`) };
  const kube = lab.clusters.lab.client().resource(secrets);
  await kube.create({ metadata: { name: 'aws', namespace: 'default' }, data });
}

/** Earlier writes are on the disk before a side begins, so that it does not pay for the other side. */
const settleDisk = () => promisify(execFile)('sync');

async function removed(name: string): Promise<void> {
  await lab.clusters.delete(name);
  await lab.clusters.until(`${name} gone`, async () =>
    (await lab.clusters.pods(name)).length === 0 ? true : undefined,
  );
}

async function restoreOnce(name: string): Promise<number> {
  await settleDisk();
  const source = { path: `${s3.bucket}/big.db`, awsSecret: 'aws', endpoint: shown, forcePathStyle: true };
  const timeline = new Timeline(lab, name);
  const took = await seconds(async () => {
    await lab.create(name, { etcdCluster: { name }, backupStorageType: 'S3', s3: source, clusterSpec });
    await lab.succeeded(name, 600_000);
  });
  process.stdout.write(`    ${await timeline.end()}\n`);
  return took;
}

async function startOnce(name: string): Promise<number> {
  await settleDisk();
  return seconds(async () => {
    await lab.clusters.create(name, clusterSpec);
    await lab.clusters.settled(name, 120_000);
  });
}

/** One round of both sides. */
async function measure(round: number) {
  const start = await startOnce(`empty-${round}`);
  await removed(`empty-${round}`);
  const ours = await restoreOnce(`copy-${round}`);
  using member = await lab.clusters.member(`copy-${round}`);
  const all = { key: Buffer.from([0]), rangeEnd: Buffer.from([0]), countOnly: true };
  expect(Number((await member.kv.range(all)).count)).toBe(values);
  await removed(`copy-${round}`);
  await settleDisk();
  const hand = await restoreByHand(store, 'big.db', lab.directory, size);
  if (size === 3) {
    await settleDisk();
    const three = await threeByHand(store, 'big.db', lab.directory);
    process.stdout.write(`    three by hand: ${JSON.stringify(three)}\n`);
  }
  const { download, tool, open, join } = hand;
  const ratio = ours / (download + tool + open + start + join);
  const withoutJoin = ours / (download + tool + open + start);
  process.stdout.write(`    ${values} MiB: ${JSON.stringify({ ours, ...hand, start, ratio, withoutJoin })}\n`);
  return ratio;
}

test('a snapshot of 1 GiB is restored in a time of the order of its parts, printed beside the bar', async () => {
  await putCredentials();
  await lab.clusters.create('big', { ...clusterSpec, size: 1 });
  await lab.clusters.settled('big', 60_000);
  await fillAndSave('big');
  await removed('big');
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) ratios.push(await measure(round));
  const [median = Number.NaN] = ratios.sort((a, b) => a - b).slice(Math.floor(rounds / 2));
  process.stdout.write(
    `    ${values} MiB: median ratio ${median.toFixed(2)}, bar ${bar}: ${median <= bar ? 'met' : 'missed'}\n`,
  );
  expect(median).toBeLessThan(3);
}, 1_800_000);
