// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BlobStore, openStore } from '@etcd-operator/blob';
import { type S3Server, startVersitygw } from '@etcd-operator/blob/testing';
import { verifySnapshot } from '@etcd-operator/etcd';
import { EtcdLab, type EtcdProcess } from '@etcd-operator/etcd/testing';
import { ensurePart } from '@etcd-operator/tools';
import type { Benchmark } from './benchmark.ts';
import { median, verdict } from './verdict.ts';

const run = promisify(execFile);
const mebibyte = 1024 * 1024;

/** Big enough that starting a program does not decide; the figures of the documentation are for 1024. */
const databaseMebibytes = Number(process.env['BENCH_BACKUP_MIB'] ?? 512);
const rounds = 3;

/** A verified snapshot into a file and into S3, against etcd's own tool and a copy of what it saved. */
export const backup: Benchmark = {
  id: 'B11',
  title: `a snapshot of ${databaseMebibytes} MiB: to a file against etcdctl snapshot save, to S3 against save and aws s3 cp`,
  async run(report, signal) {
    await using lab = await EtcdLab.open();
    const s3 = await startVersitygw();
    try {
      const member = await (await lab.member()).start({ args: ['--quota-backend-bytes=8589934592'] });
      await fill(member, signal);
      report('the database is filled');
      const scene: Scene = { member, s3, directory: lab.directory, etcdctl: await etcdctl(), signal };
      const times = await measure(scene, report);
      return verdict(
        { 'throughput to a file': times.save / times.file, 'time to S3': times.s3 / (times.save + times.copy) },
        { 'throughput to a file': { atLeast: 0.9 }, 'time to S3': { atMost: 0.7 } },
      );
    } finally {
      await s3.stop();
    }
  },
};

interface Scene {
  readonly member: EtcdProcess;
  readonly s3: S3Server;
  readonly directory: string;
  readonly etcdctl: string;
  readonly signal: AbortSignal;
}

/** The median of some rounds of each; the sides take turns, so that a busy moment hits both. */
async function measure(scene: Scene, report: (line: string) => void) {
  const taken = { save: [] as number[], copy: [] as number[], file: [] as number[], s3: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const saved = join(scene.directory, 'saved');
    const times = {
      save: await seconds(() => run(scene.etcdctl, [endpoint(scene), 'snapshot', 'save', saved], options(scene))),
      copy: await seconds(() => copy(scene, saved)),
      file: await seconds(async () => put(await directoryStore(scene), scene)),
      s3: await seconds(async () => put(await s3Store(scene), scene)),
    };
    await rm(saved, { force: true });
    // The first round fills caches.
    if (round === 0) continue;
    for (const side of sides) taken[side].push(times[side]);
    report(`round ${round}: ${sides.map((side) => `${side} ${times[side].toFixed(2)} s`).join(', ')}`);
  }
  return { save: median(taken.save), copy: median(taken.copy), file: median(taken.file), s3: median(taken.s3) };
}

const sides = ['save', 'copy', 'file', 's3'] as const;

async function put(store: BlobStore, { member, signal }: Scene): Promise<void> {
  const client = member.client();
  try {
    await store.put('bench/snapshot', verifySnapshot(client.maintenance.snapshot({ signal })), { signal });
  } finally {
    store.close();
    client.close();
  }
}

function directoryStore({ directory }: Scene): Promise<BlobStore> {
  return openStore({ kind: 'directory', root: directory });
}

function s3Store({ s3 }: Scene): Promise<BlobStore> {
  const { bucket, endpoint: url, accessKeyId, secretAccessKey } = s3;
  return openStore({
    kind: 's3',
    bucket,
    endpoint: url,
    forcePathStyle: true,
    credentials: { kind: 'keys', accessKeyId, secretAccessKey },
    policy: { allowLocal: true },
  });
}

async function copy({ s3, signal }: Scene, file: string): Promise<void> {
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    AWS_DEFAULT_REGION: s3.region,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const args = ['--endpoint-url', s3.endpoint, 's3', 'cp', '--no-progress', file, `s3://${s3.bucket}/bench/copied`];
  try {
    await run('aws', args, { env, signal });
  } catch (cause) {
    throw new Error('aws s3 cp failed; the benchmark needs the AWS command line (pip install awscli)', { cause });
  }
}

async function fill(member: EtcdProcess, signal: AbortSignal): Promise<void> {
  const client = member.client({ timeoutMs: 60_000 });
  const value = Buffer.alloc(mebibyte);
  for (let index = 0; index < databaseMebibytes; index++) {
    for (let at = 0; at < value.byteLength; at += 512) value.writeUInt32LE((index * 2_654_435_761 + at) >>> 0, at);
    await client.kv.put({ key: Buffer.from(`key-${index}`), value }, { signal });
  }
}

async function etcdctl(): Promise<string> {
  const program = (await ensurePart('etcd@3.6')).programs['etcdctl'];
  if (program === undefined) throw new Error('etcd@3.6 has no etcdctl');
  return program;
}

const endpoint = ({ member }: Scene) => `--endpoints=http://127.0.0.1:${member.clientPort}`;
const options = ({ signal }: Scene) => ({ signal, maxBuffer: 16 * mebibyte });

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return (performance.now() - before) / 1000;
}
