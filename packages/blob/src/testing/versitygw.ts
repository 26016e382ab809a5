// SPDX-License-Identifier: Apache-2.0
import { mkdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CreateBucketCommand, HeadObjectCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { ensurePart } from '@etcd-operator/tools';
import { accepts, ServerProcess } from './server-process.ts';
import { testdata } from './testdata.ts';

/** A real S3 server, with one bucket. */
export interface S3Server {
  readonly endpoint: string;
  readonly port: number;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Buckets can also be the first label of this host name, which only the tests can resolve. */
  readonly virtualDomain: string;
  /** Keys of unfinished multipart uploads. */
  readonly unfinished: () => Promise<readonly string[]>;
  /** Creates a bucket in which objects can be locked. */
  readonly createLockable: (bucket: string) => Promise<void>;
  /** The lock of an object; undefined if there is none. */
  readonly lockOf: (bucket: string, key: string) => Promise<ObjectLock | undefined>;
  /** Another read-only server for the same objects, for clients that cannot reach this server. */
  readonly twin: (port: string) => ServerTwin;
  /** Creates an object with the content `x` directly on the server. */
  readonly seed: (key: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface ObjectLock {
  readonly mode: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

interface ServerTwin {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** What it needs from this machine. */
  readonly paths: readonly string[];
}

const accessKeyId = 'test-access-key';
const secretAccessKey = 'test-secret-key-MARKER-4f1c';
const region = 'us-east-1';
const bucket = 'backups';
const virtualDomain = 's3.test';

/** @param tls a certificate from testdata instead of plain HTTP. */
export async function startVersitygw(options: { readonly tls?: boolean } = {}): Promise<S3Server> {
  const part = await ensurePart('versitygw');
  const scheme = options.tls ? 'https' : 'http';
  let endpoint = '';
  let port = 0;
  let root = '';
  const server = await ServerProcess.start((chosen, directory) => {
    port = chosen;
    endpoint = `${scheme}://127.0.0.1:${chosen}`;
    root = join(directory, 'root');
    const sidecar = join(directory, 'sidecar');
    mkdirSync(join(root, bucket), { recursive: true });
    mkdirSync(sidecar);
    return {
      program: part.programs['versitygw'] ?? '',
      args: [
        `--port=127.0.0.1:${chosen}`,
        `--virtual-domain=${virtualDomain}`,
        '--keep-alive',
        '--quiet',
        ...(options.tls ? [`--cert=${testdata('server.pem')}`, `--key=${testdata('server.key')}`] : []),
        'posix',
        // Not every file system supports extended attributes.
        `--sidecar=${sidecar}`,
        root,
      ],
      environment: { ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey },
      isUp: () => accepts(chosen),
    };
  });
  const unfinished = () => unfinishedUploads(endpoint);
  const settings = { endpoint, port, bucket, region, accessKeyId, secretAccessKey, virtualDomain };
  const seed = async (key: string) => {
    const path = join(root, bucket, key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'x');
  };
  const twin = (listenOn: string): ServerTwin => {
    const program = part.programs['versitygw'] ?? '';
    const store = ['posix', `--sidecar=${join(dirname(root), 'sidecar')}`, root];
    return {
      command: [program, `--port=${listenOn}`, '--keep-alive', '--quiet', ...store],
      environment: { ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey },
      paths: [program, dirname(root)],
    };
  };
  const createLockable = (name: string) => makeLockable(endpoint, name);
  const lockOf = (of: string, key: string) => readLock(endpoint, of, key);
  return { ...settings, unfinished, createLockable, lockOf, twin, seed, stop: () => server.stop() };
}

async function unfinishedUploads(endpoint: string): Promise<readonly string[]> {
  using own = ownClient(endpoint);
  const { Uploads } = await own.client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  return (Uploads ?? []).map(({ Key }) => Key ?? '');
}

async function makeLockable(endpoint: string, Bucket: string): Promise<void> {
  using own = ownClient(endpoint);
  await own.client.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }));
}

async function readLock(endpoint: string, Bucket: string, Key: string): Promise<ObjectLock | undefined> {
  using own = ownClient(endpoint);
  const { ObjectLockMode, ObjectLockRetainUntilDate } = await own.client.send(new HeadObjectCommand({ Bucket, Key }));
  return ObjectLockMode && { mode: ObjectLockMode, until: ObjectLockRetainUntilDate?.getTime() ?? 0 };
}

/** An independent client, so that the tested code does not check itself. */
function ownClient(endpoint: string): Disposable & { readonly client: S3Client } {
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  return { client, [Symbol.dispose]: () => client.destroy() };
}
