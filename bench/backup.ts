// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { storeSnapshot } from '@etcd-operator/operator';
import { ensurePart } from '@etcd-operator/tools';
import { type BlobStore, openStore } from '@operator-parts/blob';
import { type S3Server, startVersitygw, testdata } from '@operator-parts/blob/testing';
import { EtcdLab, type EtcdProcess } from '@operator-parts/etcd/testing';
import type { Benchmark } from './benchmark.ts';
import { median, verdict } from './verdict.ts';

const run = promisify(execFile);
const mebibyte = 1024 * 1024;

/** The size that the documentation states figures for. */
const databaseMebibytes = Number(process.env['BENCH_BACKUP_MIB'] ?? 1024 * Number(process.env['BENCH_SCALE'] ?? 1));
const rounds = 3;

/** A verified snapshot to a file and to S3, against etcd's own tool and a copy of its result. */
export const backup: Benchmark = {
  id: 'B11',
  title: `a snapshot of ${databaseMebibytes} MiB: to a file against etcdctl snapshot save, to S3 over TLS against save and a copy by aws or rclone`,
  async run(report, signal) {
    await using lab = await EtcdLab.open();
    const s3 = await startVersitygw({ tls: true });
    try {
      const member = await (await lab.member()).start({ args: ['--quota-backend-bytes=8589934592'] });
      await fill(member, signal);
      report('the database is filled');
      const { directory } = lab;
      const scene = { member, s3, directory, etcdctl: await etcdctl(), copiers: await copiers(), signal };
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
  readonly copiers: readonly Copier[];
  readonly signal: AbortSignal;
}

/**
 * The median of some rounds of each; the sides alternate, so that load from elsewhere affects both. Cleaning up is not
 * measured.
 */
async function measure(scene: Scene, report: (line: string) => void): Promise<Times> {
  const taken: Times[] = [];
  for (let round = 0; round <= rounds; round++) {
    const saved = join(scene.directory, 'saved');
    const times: Times = {
      save: await seconds(() => run(scene.etcdctl, [endpoint(scene), 'snapshot', 'save', saved], options(scene))),
      copy: await copied(scene, saved),
      file: await stored(scene, await directoryStore(scene)),
      s3: await stored(scene, await s3Store(scene)),
    };
    await rm(saved, { force: true });
    // The first round fills caches.
    if (round === 0) continue;
    taken.push(times);
    report(`round ${round}: ${sides.map((side) => `${side} ${times[side].toFixed(2)} s`).join(', ')}`);
  }
  const middle = (side: keyof Times) => median(taken.map((times) => times[side]));
  return { save: middle('save'), copy: middle('copy'), file: middle('file'), s3: middle('s3') };
}

const sides = ['save', 'copy', 'file', 's3'] as const;
type Times = Readonly<Record<(typeof sides)[number], number>>;

/** The CA of the S3 server. */
const authority = testdata('ca.pem');

const ownKey = 'bench/snapshot';
const copiedKey = 'bench/copied';

/** How long our verified snapshot takes to be in the store. */
async function stored({ member, signal }: Scene, store: BlobStore): Promise<number> {
  const client = member.client();
  try {
    const source = { client, status: { revision: 0n } };
    return await seconds(() => storeSnapshot(store, ownKey, source, { signal, onBytes: () => undefined }));
  } finally {
    await store.delete(ownKey, { signal });
    store.close();
    client.close();
  }
}

/** How long the faster of the usual tools takes to copy the file to the bucket. */
async function copied(scene: Scene, file: string): Promise<number> {
  const store = await s3Store(scene);
  try {
    const times: number[] = [];
    for (const copy of scene.copiers) {
      times.push(await seconds(() => copy(scene, file)));
      await store.delete(copiedKey, { signal: scene.signal });
    }
    return Math.min(...times);
  } finally {
    store.close();
  }
}

function directoryStore({ directory }: Scene): Promise<BlobStore> {
  return openStore({ kind: 'directory', root: directory });
}

async function s3Store({ s3 }: Scene): Promise<BlobStore> {
  const { bucket, endpoint: url, accessKeyId, secretAccessKey } = s3;
  return openStore({
    kind: 's3',
    bucket,
    endpoint: url,
    forcePathStyle: true,
    credentials: { kind: 'keys', accessKeyId, secretAccessKey },
    policy: { allowLocal: true },
    caCertificates: await readFile(authority, 'utf8'),
  });
}

type Copier = (scene: Scene, file: string) => Promise<unknown>;

const awsCopy: Copier = ({ s3, signal }, file) => {
  const args = ['--endpoint-url', s3.endpoint, 's3', 'cp', '--no-progress', file, `s3://${s3.bucket}/${copiedKey}`];
  return run('aws', args, { env: copierEnv(s3), signal });
};

const rcloneCopy: Copier = ({ s3, signal }, file) => {
  const remote = `:s3,provider=Other,env_auth=true,force_path_style=true,endpoint="${s3.endpoint}":`;
  return run('rclone', ['copyto', file, `${remote}${s3.bucket}/${copiedKey}`], { env: copierEnv(s3), signal });
};

function copierEnv(s3: S3Server): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    AWS_DEFAULT_REGION: s3.region,
    AWS_REGION: s3.region,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CA_BUNDLE: authority,
    // The server does not support the trailing checksums that aws sends by default.
    AWS_REQUEST_CHECKSUM_CALCULATION: 'when_required',
    RCLONE_CONFIG: '/dev/null',
    RCLONE_CA_CERT: authority,
  };
}

/** Those of the two tools that are installed. */
async function copiers(): Promise<readonly Copier[]> {
  const known = [
    { copy: awsCopy, ask: ['aws', '--version'] },
    { copy: rcloneCopy, ask: ['rclone', 'version'] },
  ] as const;
  const found: Copier[] = [];
  for (const { copy, ask } of known) {
    const [program, argument] = ask;
    const isThere = await run(program, [argument]).then(
      () => true,
      () => false,
    );
    if (isThere) found.push(copy);
  }
  if (found.length === 0) throw new Error('the benchmark needs aws (pip install awscli) or rclone to compare with');
  return found;
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
