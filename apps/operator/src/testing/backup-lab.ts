// SPDX-License-Identifier: Apache-2.0
import { type BlobStore, type EndpointPolicy, openStore } from '@operator-parts/blob';
import { type S3Server, startVersitygw } from '@operator-parts/blob/testing';
import { networkDialer } from '@operator-parts/etcd';
import { EtcdLab, type EtcdProcess, type StartOptions } from '@operator-parts/etcd/testing';
import { type Event, events, isKubeError, type ObjectMeta, pods, secrets } from '@operator-parts/kube';
import { type Lab, startLab } from '@operator-parts/kube-lab';
import { createLogger, type LogRecord, systemClock } from '@operator-parts/ports';
import { type EtcdBackup, type EtcdBackupSpec, type EtcdBackupStatus, etcdBackups } from '../api/etcd-backup.ts';
import { type BackupOperatorOptions, runEtcdBackupOperator } from '../backup-operator.ts';
import type { StorageSettings } from '../storage/open-store.ts';
import { realControlPlane } from './api-server/real-control-plane.ts';
import { until } from './until.ts';

/** The name of the Secret for the S3 server. */
export const awsSecret = 'aws';

interface Running {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

async function ending({ stop, ended }: Running): Promise<void> {
  stop.abort(new Error('the test stops the operator'));
  await ended.catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
}

/** Settings of a test lab. */
export interface BackupLabOptions {
  readonly operator?: Partial<BackupOperatorOptions>;
  readonly storage?: StorageSettings;
  /** False: the test starts the operator itself. @default true */
  readonly startOperator?: boolean;
}

/**
 * The environment for tests of the backup operator: an API server, real etcd processes and a real S3 server, all on loopback. The operator
 * runs in this process, so that a test can stop it, restart it, and read its log.
 */
export class BackupLab implements AsyncDisposable {
  readonly lab: Lab;
  readonly s3: S3Server;
  readonly etcds: EtcdLab;
  readonly log: LogRecord[] = [];
  readonly #options: BackupLabOptions;
  #running: Running | undefined;

  private constructor(lab: Lab, s3: S3Server, etcds: EtcdLab, options: BackupLabOptions) {
    this.lab = lab;
    this.s3 = s3;
    this.etcds = etcds;
    this.#options = options;
  }

  static async start(options: BackupLabOptions = {}): Promise<BackupLab> {
    const server = await realControlPlane();
    const [lab, s3, etcds] = await Promise.all([
      startLab({ nodes: 0, ...(server && { server }) }),
      startVersitygw(),
      EtcdLab.open(),
    ]);
    const ground = new BackupLab(lab, s3, etcds, options);
    await ground.secret(awsSecret, ground.awsFiles());
    if (options.startOperator ?? true) ground.startOperator();
    return ground;
  }

  /** Stores are on loopback, some of them under names that only the tests can resolve. */
  get policy(): EndpointPolicy {
    return { allowLocal: true, resolve: async () => ['127.0.0.1'] };
  }

  /** The two files of the AWS command line, as a user's Secret contains them. */
  awsFiles(): Readonly<Record<string, string>> {
    const { accessKeyId, secretAccessKey, region } = this.s3;
    return {
      credentials: `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
      config: `[default]\nregion = ${region}\n`,
    };
  }

  /** Starts an operator; returns a function that stops exactly this operator. A test that runs two operators stops the first one itself. */
  startOperator(options: Partial<BackupOperatorOptions> = {}): () => Promise<void> {
    const stop = new AbortController();
    const ended = runEtcdBackupOperator(
      {
        client: this.lab.client(),
        log: createLogger({ clock: systemClock, level: 'debug', write: (record) => this.log.push(record) }),
        namespace: 'default',
        identity: 'test',
        leaderElection: false,
        ...(!this.#options.operator?.network && { dial: networkDialer }),
        storage: { policy: this.policy, ...this.#options.storage },
        ...this.#options.operator,
        ...options,
      },
      stop.signal,
    );
    // The caller that waits for the end of the operator gets the error.
    ended.catch(() => undefined);
    const running = { stop, ended };
    this.#running = running;
    return () => ending(running);
  }

  async stopOperator(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running) await ending(running);
  }

  /** A running member, the only one of its cluster. */
  async etcd(options: StartOptions = {}): Promise<EtcdProcess> {
    const member = await this.etcds.member();
    return member.start(options);
  }

  async secret(
    name: string,
    data: Readonly<Record<string, string>>,
    namespace = 'default',
    labels: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    await this.lab
      .client()
      .resource(secrets)
      .create({ metadata: { name, namespace, labels }, data: Object.fromEntries(encoded) });
  }

  /** Creates a pod with this address that exists only in the API server. */
  async pod(name: string, podIP: string, metadata: ObjectMeta = {}): Promise<void> {
    const key = { name, namespace: 'default', ...metadata };
    const client = this.lab.client().resource(pods);
    await client.create({ metadata: key, spec: { containers: [{ name: 'etcd', image: 'etcd' }] } });
    const status = { phase: 'Running', podIP, podIPs: [{ ip: podIP }] } as const;
    await client.status.patch({ name, namespace: key.namespace }, { type: 'merge', patch: { status } });
  }

  /** The spec of a backup of these members to the S3 server. */
  toS3(key: string, members: readonly EtcdProcess[], more: Partial<EtcdBackupSpec> = {}): EtcdBackupSpec {
    return {
      etcdEndpoints: members.map(({ clientPort }) => `http://127.0.0.1:${clientPort}`),
      storageType: 'S3',
      s3: { path: `${this.s3.bucket}/${key}`, awsSecret, endpoint: this.s3.endpoint, forcePathStyle: true },
      ...more,
    };
  }

  async create(name: string, spec: EtcdBackupSpec, metadata: EtcdBackup['metadata'] = {}): Promise<EtcdBackup> {
    const backup: EtcdBackup = {
      apiVersion: 'etcd.database.coreos.com/v1beta2',
      kind: 'EtcdBackup',
      metadata: { name, namespace: 'default', ...metadata },
      spec,
    };
    return this.until(`create ${name}`, async () => {
      try {
        return await this.#backups.create(backup);
      } catch (error) {
        if (isKubeError(error, 'NotFound')) return undefined;
        throw error;
      }
    });
  }

  get(name: string, namespace = 'default'): Promise<EtcdBackup> {
    return this.#backups.get({ namespace, name });
  }

  async change(name: string, spec: object): Promise<void> {
    await this.#backups.patch({ namespace: 'default', name }, { type: 'merge', patch: { spec } });
  }

  async writeStatus(name: string, status: EtcdBackupStatus): Promise<void> {
    await this.#backups.status.patch({ namespace: 'default', name }, { type: 'merge', patch: { status } });
  }

  async delete(name: string): Promise<void> {
    await this.#backups.delete({ namespace: 'default', name });
  }

  async isGone(name: string): Promise<true | undefined> {
    try {
      await this.get(name);
      return undefined;
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return true;
      throw error;
    }
  }

  /** Waits until the status meets the condition. */
  async status(
    name: string,
    isAsked: (status: EtcdBackupStatus) => boolean,
    milliseconds?: number,
    namespace = 'default',
  ): Promise<EtcdBackupStatus> {
    const read = async () => (await this.get(name, namespace)).status ?? {};
    return this.until(
      `status of ${name}`,
      async () => {
        const status = await read();
        return isAsked(status) ? status : undefined;
      },
      milliseconds,
      async () => JSON.stringify(await read(), undefined, 1),
    );
  }

  succeeded(name: string, milliseconds?: number, namespace?: string): Promise<EtcdBackupStatus> {
    return this.status(name, ({ succeeded }) => succeeded === true, milliseconds, namespace);
  }

  async events(name: string, namespace = 'default'): Promise<readonly Event[]> {
    const { items } = await this.lab.client().resource(events).list({ namespace });
    return items.filter(({ involvedObject }) => involvedObject.name === name);
  }

  /** The S3 server's bucket, through the test's own client. */
  async bucket(): Promise<BlobStore> {
    const { endpoint, bucket, accessKeyId, secretAccessKey } = this.s3;
    return openStore({
      kind: 's3',
      bucket,
      endpoint,
      forcePathStyle: true,
      credentials: { kind: 'keys', accessKeyId, secretAccessKey },
      policy: { allowLocal: true },
    });
  }

  async keys(prefix = ''): Promise<readonly string[]> {
    const store = await this.bucket();
    const keys: string[] = [];
    for await (const { key } of store.list(prefix)) keys.push(key);
    store.close();
    return keys;
  }

  /** Stores an object without the operator. */
  async write(key: string, bytes: Uint8Array): Promise<void> {
    const store = await this.bucket();
    await store.put(
      key,
      (async function* () {
        yield bytes;
      })(),
    );
    store.close();
  }

  async read(key: string): Promise<Buffer> {
    const store = await this.bucket();
    const pieces: Uint8Array[] = [];
    for await (const piece of store.get(key)) pieces.push(Buffer.from(piece));
    store.close();
    return Buffer.concat(pieces);
  }

  /** Repeats `ask` until it returns a value; the error shows the last state. */
  until<T>(
    what: string,
    ask: () => Promise<T | undefined>,
    milliseconds?: number,
    explain?: () => Promise<string>,
  ): Promise<T> {
    return until(what, ask, { milliseconds, explain, log: this.log });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopOperator();
    await Promise.all([this.lab.stop(), this.s3.stop(), this.etcds[Symbol.asyncDispose]()]);
  }

  get #backups() {
    return this.lab.client().resource(etcdBackups.resource);
  }
}
