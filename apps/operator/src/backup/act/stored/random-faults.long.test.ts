// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { appendFile, constants, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BlobStore, openStore, type StoreOptions } from '@operator-parts/blob';
import { startAzurite, startFakeGcsServer } from '@operator-parts/blob/testing';
import type { EtcdProcess } from '@operator-parts/etcd/testing';
import { type Random, seededRandom, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EtcdBackupSpec, EtcdBackupStatus } from '../../../api/etcd-backup.ts';
import { manifestPath, parseManifest } from '../../../storage/manifest.ts';
import { BackupLab } from '../../../testing/backup-lab.ts';
import { etcdTool } from '../../../testing/etcd-tools.ts';
import { fillMember } from '../../testing/kill-sweep.ts';
import { randomFault } from '../../testing/random-faults.ts';
import { RewritingProxy } from '../../testing/rewriting-proxy.ts';

/** Number of backups and restores on each store, and the first seed. */
const runs = Number(process.env['FAULT_RUNS'] ?? 300);
const firstSeed = Number(process.env['FAULT_SEED'] ?? 1);
const minor = '3.6';

let ground: BackupLab;
let member: EtcdProcess;
let directory: string;
const toStop: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fault-volume-'));
  const policy = { allowLocal: true, resolve: async () => ['127.0.0.1'] };
  const retry = { attempts: 3, firstDelayMs: 20, maxDelayMs: 100, requestTimeoutMs: 1_500 };
  ground = await BackupLab.start({ storage: { directory, policy, retry } });
  member = await ground.etcd({ version: minor });
  await fillMember(member, 9, seededRandom(300));
});

afterAll(async () => {
  for (const stop of toStop) await stop();
  await ground?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

/** A store: the operator reaches it through injected faults, and the test reaches it directly. */
interface Ground {
  readonly spec: (path: string) => Partial<EtcdBackupSpec>;
  readonly past: () => Promise<BlobStore>;
  /** Prefix of all keys of the test. */
  readonly prefix: string;
  /** Starts faults. The returned function ends them. */
  readonly spoil: (random: Random) => () => void;
  readonly unfinished: () => Promise<readonly string[]>;
}

const none = async () => [];

async function proxied(port: number): Promise<RewritingProxy> {
  const proxy = await RewritingProxy.start(port);
  toStop.push(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

function spoilBy(proxy: RewritingProxy, mayTouch?: Parameters<typeof randomFault>[1]): Ground['spoil'] {
  return (random) => {
    proxy.fault = randomFault(random, mayTouch);
    return () => proxy.heal();
  };
}

const local = { allowLocal: true, resolve: async () => ['127.0.0.1'] };

const grounds: Readonly<Record<string, () => Promise<Ground>>> = {
  S3: async () => {
    const proxy = await proxied(ground.s3.port);
    const { bucket } = ground.s3;
    return {
      spec: (path) => {
        const spec = ground.toS3(path, [member]);
        return { ...spec, s3: { ...spec.s3, path: `${bucket}/${path}`, endpoint: proxy.endpoint } };
      },
      past: () => ground.bucket(),
      prefix: '',
      spoil: spoilBy(proxy),
      unfinished: () => ground.s3.unfinished(),
    };
  },
  OSS: async () => {
    const { bucket, accessKeyId, secretAccessKey, port, virtualDomain, region } = ground.s3;
    const proxy = await proxied(port);
    await ground.secret('oss', { accessKeyID: accessKeyId, accessKeySecret: secretAccessKey });
    const endpoint = `http://${virtualDomain}:${proxy.port}`;
    return {
      spec: (path) => ({ storageType: 'OSS', oss: { path: `${bucket}/${path}`, ossSecret: 'oss', endpoint, region } }),
      past: () => ground.bucket(),
      prefix: '',
      spoil: spoilBy(proxy),
      unfinished: () => ground.s3.unfinished(),
    };
  },
  ABS: async () => {
    const azure = await startAzurite();
    toStop.push(() => azure.stop());
    const { account, accountKey, container } = azure;
    const proxy = await proxied(azure.port);
    await ground.secret('abs', { 'storage-account': account, 'storage-key': accountKey });
    const endpoint = `${proxy.endpoint}/${account}`;
    const options: StoreOptions = {
      kind: 'azure',
      container,
      endpoint: azure.endpoint,
      account,
      credentials: { kind: 'key', accountKey },
      policy: local,
    };
    return {
      spec: (path) => ({ storageType: 'ABS', abs: { path: `${container}/${path}`, absSecret: 'abs', endpoint } }),
      past: () => openStore(options),
      prefix: '',
      spoil: spoilBy(proxy),
      unfinished: none,
    };
  },
  GCS: async () => {
    const google = await startFakeGcsServer();
    toStop.push(() => google.stop());
    const { bucket, accessToken } = google;
    const proxy = await proxied(google.port);
    await ground.secret('gcp', { 'access-token': accessToken });
    const options: StoreOptions = {
      kind: 'gcs',
      bucket,
      endpoint: google.endpoint,
      credentials: { kind: 'token', accessToken },
      policy: local,
    };
    return {
      spec: (path) => ({
        storageType: 'GCS',
        gcs: { path: `${bucket}/${path}`, gcpSecret: 'gcp', endpoint: proxy.endpoint },
      }),
      past: () => openStore(options),
      prefix: '',
      // This server treats a request for the upload offset as the end of the upload, so parts must not fail here.
      spoil: spoilBy(proxy, ({ method, url }) => !(method === 'PUT' && url.searchParams.has('upload_id'))),
      unfinished: none,
    };
  },
  Directory: async () => ({
    spec: (path) => ({ storageType: 'Directory', directory: { path } }),
    past: () => openStore({ kind: 'directory', root: directory }),
    prefix: 'default/',
    spoil: spoilFiles,
    unfinished: async () => {
      const files = await readdir(join(directory, 'default')).catch(() => []);
      return files.filter((name) => name.endsWith('.upload'));
    },
  }),
};

/** Without O_CREAT: if the file was renamed meanwhile, the test must not create a leftover under the old name. */
const notCreating = constants.O_WRONLY | constants.O_APPEND;

/** Truncates, extends or deletes the file that is being written, at a random moment. */
function spoilFiles(random: Random): () => void {
  const stop = new AbortController();
  const [kind, delay] = [random.next(), random.next() * 60];
  const spoilOnce = async () => {
    await systemClock.sleep(delay, stop.signal);
    const home = join(directory, 'default');
    const files = (await readdir(home).catch(() => [])).filter((name) => name.endsWith('.upload'));
    for (const file of files.map((name) => join(home, name))) {
      if (kind < 0.3) await truncate(file, 4_096).catch(() => undefined);
      else if (kind < 0.5) await appendFile(file, 'x', { flag: notCreating }).catch(() => undefined);
      else if (kind < 0.7) await rm(file, { force: true });
    }
  };
  const spoiling = async () => {
    while (!stop.signal.aborted) await spoilOnce();
  };
  spoiling().catch(() => undefined);
  return () => stop.abort();
}

const tried = ({ attempts = 0, succeeded, progress }: EtcdBackupStatus) =>
  !progress && (attempts > 0 || succeeded === true);

test.each(Object.keys(grounds))(
  '%s: every success under random faults is restorable, with the same HashKV, and no failure leaves anything',
  async (kind) => {
    const store = await grounds[kind]?.();
    if (!store) throw new Error(kind);
    const seen = { succeeded: 0, failed: 0 };
    for (let run = 0; run < runs; run++) {
      const seed = firstSeed + run;
      const name = `${kind.toLowerCase()}-${seed}`;
      try {
        if (await once(store, name, seededRandom(seed))) seen.succeeded += 1;
        else seen.failed += 1;
      } catch (error) {
        throw new Error(`${kind}, FAULT_SEED=${seed}: ${error instanceof Error ? error.message : error}`, {
          cause: error,
        });
      }
    }
    expect(seen.succeeded + seen.failed).toBe(runs);
    process.stderr.write(
      `${kind}: of ${runs} backups ${seen.succeeded} were made at once, ${seen.failed} after failures\n`,
    );
  },
);

/** Makes one backup under faults, retries until it succeeds, and restores it. True if the first attempt succeeded. */
async function once(store: Ground, name: string, random: Random): Promise<boolean> {
  await member.client().kv.put({ key: Buffer.from('run'), value: Buffer.from(name) });
  const before = await member.client().maintenance.hashKv(0n);
  const heal = store.spoil(random);
  const policy = { backupIntervalInSecond: 3_600, timeoutInSecond: 15, maxBackups: 2 };
  await ground.create(name, { ...ground.toS3(name, [member]), ...store.spec(name), backupPolicy: policy });
  const first = await ground.status(name, tried, 120_000);
  heal();
  // If the backup succeeded, it is compared as it is. If it failed, a later backup leaves no leftovers of the failure.
  // A change of the spec is retried at once; otherwise the wait after a refusal is minutes.
  if (!first.succeeded) await ground.change(name, { backupPolicy: { ...policy, timeoutInSecond: 60 } });
  const status = first.succeeded ? first : await ground.succeeded(name, 120_000);
  const past = await store.past();
  try {
    const key = store.prefix + (status.lastBackup?.path ?? '').replace(/^backups\//, '');
    const keys = await collect(past.list(`${store.prefix}${name}_v`));
    const expected = [key, manifestPath(key)];
    // The status may also list the backup itself, if it is not certain that all its uploads have ended. The backup exists nevertheless.
    const isAccountedFor = (one: string) => !expected.includes(one) && (status.leftovers ?? []).includes(one);
    expect(keys.map((one) => one.key).filter((one) => !isAccountedFor(one))).toEqual(expected);
    const bytes = await read(past, key);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(status.lastBackup?.sha256);
    expect(parseManifest(await read(past, manifestPath(key)))?.sha256).toBe(status.lastBackup?.sha256);
    const restored = await restoredHash(bytes, before.header.revision);
    expect(restored).toBe(before.hash);
    expect((await store.unfinished()).filter((one) => one.includes(name))).toEqual([]);
    await ground.delete(name);
    await ground.until('gone', () => ground.isGone(name));
    for (const one of keys) await past.delete(one.key);
  } finally {
    past.close();
  }
  return first.succeeded === true;
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function read(store: BlobStore, key: string): Promise<Buffer> {
  return Buffer.concat((await collect(store.get(key))).map((piece) => Buffer.from(piece)));
}

/** Restores the bytes with etcd's own tool and asks a new member for the hash. None of our code is involved. */
async function restoredHash(bytes: Buffer, revision: bigint): Promise<number> {
  const restored = await ground.etcds.member();
  const data = join(ground.etcds.directory, restored.name);
  const file = `${data}.db`;
  await writeFile(file, bytes);
  await etcdTool(minor, [
    'snapshot',
    'restore',
    file,
    `--data-dir=${data}`,
    `--name=${restored.name}`,
    `--initial-cluster=${restored.name}=${restored.peerUrl}`,
    `--initial-advertise-peer-urls=${restored.peerUrl}`,
  ]);
  await restored.start({ version: minor });
  try {
    return (await restored.client().maintenance.hashKv(revision)).hash;
  } finally {
    restored.closeClients();
    await restored.stop('SIGKILL');
    await rm(data, { recursive: true, force: true });
    await rm(file, { force: true });
  }
}
