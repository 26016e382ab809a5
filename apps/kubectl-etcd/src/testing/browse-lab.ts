// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EtcdBackup, etcdBackups, etcdClusters, runEtcdBackupOperator } from '@etcd-operator/operator';
import { type S3Server, startVersitygw } from '@operator-parts/blob/testing';
import { clientPort, type Dialer, type KeyValue, MemberClient } from '@operator-parts/etcd';
import { labEtcd, writeRandomHistory } from '@operator-parts/etcd/testing';
import { type Client, type KubeObject, pods, type ResourceClient, secrets } from '@operator-parts/kube';
import { seededRandom, silentLogger, systemClock } from '@operator-parts/ports';
import { expect } from 'vitest';
import { PluginLab } from './plugin-lab.ts';
import type { Outcome } from './type-line.ts';

const namespace = 'default';

/** The output of `backup browse -o json`. */
export interface Shown {
  readonly verified: string;
  readonly revision: number;
  readonly count: number;
  readonly keys: readonly Readonly<Record<string, string | number>>[];
}

/** A cluster `example` of one real etcd with a random history, the backup operator, a real S3 server, and a directory for backups. */
export class BrowseLab implements AsyncDisposable {
  readonly #ground: PluginLab;
  readonly #closing: AsyncDisposableStack;
  readonly s3: S3Server;
  readonly directory: string;
  readonly member: MemberClient;

  private constructor(
    ground: PluginLab,
    closing: AsyncDisposableStack,
    parts: Pick<BrowseLab, 's3' | 'directory' | 'member'>,
  ) {
    this.#ground = ground;
    this.#closing = closing;
    this.s3 = parts.s3;
    this.directory = parts.directory;
    this.member = parts.member;
  }

  static async start(): Promise<BrowseLab> {
    const [ground, s3] = await Promise.all([PluginLab.start(1), startVersitygw()]);
    const closing = new AsyncDisposableStack();
    closing.use(ground);
    closing.defer(() => s3.stop());
    const directory = await mkdtemp(join(tmpdir(), 'backup-volume-'));
    closing.defer(() => rm(directory, { recursive: true, force: true }));
    const dial: Dialer = ({ host, port }) => ground.lab.dial(host, port);
    closing.defer(runBackups(ground, dial, directory));
    await ground.cluster('example', { size: 1, version: labEtcd.version });
    const listed = { namespace, labelSelector: 'etcd_cluster=example' };
    const { items } = await ground.lab.client().resource(pods).list(listed);
    const target = { host: items[0]?.status?.podIP ?? '', port: clientPort };
    const member = closing.use(new MemberClient({ target, clock: systemClock, dial }));
    const lab = new BrowseLab(ground, closing, { s3, directory, member });
    const keys = `[default]\naws_access_key_id = ${s3.accessKeyId}\naws_secret_access_key = ${s3.secretAccessKey}\n`;
    await lab.secret('aws', { credentials: keys, config: `[default]\nregion = ${s3.region}\n` });
    await writeRandomHistory(member, seededRandom(24), 150);
    return lab;
  }

  type(line: string): Promise<Outcome> {
    return this.#ground.type(line);
  }

  get client(): Client {
    return this.#ground.lab.client();
  }

  async secret(name: string, stringData: Readonly<Record<string, string>>): Promise<void> {
    await this.#ground.lab.client().resource(secrets).create({ metadata: { name, namespace }, stringData });
  }

  async put(key: string, value: string): Promise<void> {
    await this.member.kv.put({ key: Buffer.from(key), value: Buffer.from(value) });
  }

  /** The keys of the member, in the form of `asListed`. */
  async contents(revision = 0n) {
    const all = { key: Uint8Array.of(0), rangeEnd: Uint8Array.of(0), revision };
    return (await this.member.kv.range(all)).kvs.map(listed);
  }

  inS3(key: string) {
    const { bucket, endpoint } = this.s3;
    return {
      storageType: 'S3',
      s3: { path: `${bucket}/${key}`, awsSecret: 'aws', endpoint, forcePathStyle: true },
    } as const;
  }

  /** Creates an EtcdBackup of the cluster and waits until it has succeeded. */
  async backUp(name: string, where: Omit<EtcdBackup['spec'], 'clusterRef'>): Promise<void> {
    await this.series(name, where);
    const status = async () => (await this.#backups.get({ namespace, name })).status;
    await expect.poll(status, { timeout: 60_000 }).toMatchObject({ succeeded: true });
  }

  /** Waits until an EtcdBackup that records changes has stored all keys of the member. */
  async recorded(name: string): Promise<void> {
    const { revision } = await this.member.maintenance.status();
    const reached = async () => (await this.#backups.get({ namespace, name })).status?.recoveryPoint?.revision ?? 0;
    await expect.poll(reached, { timeout: 60_000 }).toBeGreaterThanOrEqual(Number(revision));
  }

  /** No more full backups of a series are made; its changes are recorded on. */
  async stopBackups(name: string): Promise<void> {
    const patch = { spec: { backupPolicy: { backupIntervalInSecond: 86_400 } } };
    await this.#backups.patch({ namespace, name }, { type: 'merge', patch });
    const isRunning = async () => (await this.#backups.get({ namespace, name })).status?.progress !== undefined;
    await expect.poll(isRunning, { timeout: 60_000 }).toBe(false);
  }

  /** Deletes every EtcdBackup, EtcdCluster and Secret. */
  async deleteEverything(): Promise<void> {
    const client = this.#ground.lab.client();
    await deleteAll(client.resource(etcdBackups.resource));
    await deleteAll(client.resource(etcdClusters.resource));
    await deleteAll(client.resource(secrets));
  }

  get #backups() {
    return this.#ground.lab.client().resource(etcdBackups.resource);
  }

  /** Creates an EtcdBackup of the cluster. */
  async series(name: string, where: Omit<EtcdBackup['spec'], 'clusterRef'>): Promise<void> {
    const backups = this.#backups;
    const kind = { apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdBackup' } as const;
    const spec = { clusterRef: { name: 'example' }, ...where };
    const object: EtcdBackup = { ...kind, metadata: { name, namespace }, spec };
    await expect.poll(() => backups.create(object).catch(() => undefined), { timeout: 60_000 }).toBeDefined();
  }

  async browsed(line: string): Promise<Shown> {
    const { status, out, err } = await this.type(`backup browse ${line} --values -o json`);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    return JSON.parse(out) as Shown;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#closing.disposeAsync();
  }
}

async function deleteAll<T extends KubeObject>(all: ResourceClient<T>): Promise<void> {
  const { items } = await all.list({ namespace });
  for (const { metadata } of items) await all.delete({ namespace, name: metadata?.name ?? '' });
  await expect.poll(async () => (await all.list({ namespace })).items, { timeout: 60_000 }).toEqual([]);
}

/** Returns a function that stops it. */
function runBackups(ground: PluginLab, dial: Dialer, directory: string): () => Promise<void> {
  const stop = new AbortController();
  const storage = { directory, policy: { allowLocal: true } };
  const own = { log: silentLogger, namespace, identity: 'backup', leaderElection: false, dial, storage };
  const running = runEtcdBackupOperator({ client: ground.lab.client(), ...own }, stop.signal).catch(() => undefined);
  return async () => {
    stop.abort();
    await running;
  };
}

/** The output of `-o json --values` in the form of a member's answer. */
export function asListed({ keys }: Shown) {
  return keys.map(({ key, keyBase64, value, valueBase64, createRevision, modRevision, version, lease }) => [
    bytes(key, keyBase64),
    bytes(value, valueBase64),
    createRevision,
    modRevision,
    version,
    lease ?? '',
  ]);
}

function bytes(text: unknown, base64: unknown): string {
  return Buffer.from(String(text ?? base64), text === undefined ? 'base64' : 'utf8').toString('hex');
}

function listed({ key, value, createRevision, modRevision, version, lease }: KeyValue) {
  return [
    Buffer.from(key).toString('hex'),
    Buffer.from(value).toString('hex'),
    Number(createRevision),
    Number(modRevision),
    Number(version),
    lease === 0n ? '' : lease.toString(16).padStart(16, '0'),
  ];
}
