// SPDX-License-Identifier: Apache-2.0
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RetryPolicy } from '@operator-parts/blob';
import type { Login } from '@operator-parts/etcd';
import { fillStore, type StoreContents, storeContents } from '@operator-parts/etcd/testing';
import { isKubeError, type PersistentVolumeClaim, persistentVolumeClaims } from '@operator-parts/kube';
import { adminIdentity, type ImageSet, type IpFamilies } from '@operator-parts/kube-lab';
import { type Clock, createLogger, type LogRecord, systemClock } from '@operator-parts/ports';
import { type EtcdRestore, type EtcdRestoreSpec, etcdRestores } from '../../api/etcd-restore.ts';
import { labels } from '../../api/names.ts';
import { runEtcdRestoreOperator } from '../../restore-operator.ts';
import { type LabVersion, OperatorLab } from '../../testing/operator-lab.ts';
import { agentImageName, agentImages } from './agent-image.ts';

const namespace = 'default';

/** In this process, all host names of stores resolve to loopback. */
const resolve = async (_host: string) => ['127.0.0.1'];

/** Settings of a lab's restore operator. */
interface RestoreLabOperator {
  readonly retry?: RetryPolicy;
  readonly clock?: Clock;
  /** Both operators are cluster-wide: they manage objects with the scope annotation, and read nodes. @default false */
  readonly clusterWide?: boolean;
}

type Source = Omit<EtcdRestoreSpec, 'backupStorageType' | 'etcdCluster' | 'directory'>;

/**
 * Both operators in a lab with real etcd, the agent as a real process in its pods, and a directory as the store, in which a test can create
 * and damage every file.
 */
export class RestoreLab implements AsyncDisposable {
  readonly clusters: OperatorLab;
  readonly directory: string;
  readonly log: LogRecord[] = [];
  readonly #operator: RestoreLabOperator;
  #running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

  private constructor(clusters: OperatorLab, directory: string, operator: RestoreLabOperator) {
    this.clusters = clusters;
    this.directory = directory;
    this.#operator = operator;
  }

  static async start(
    options: {
      readonly nodes?: number;
      readonly versions?: readonly LabVersion[];
      readonly images?: readonly ImageSet[];
      readonly operator?: RestoreLabOperator;
      readonly ipFamilies?: IpFamilies;
    } = {},
  ): Promise<RestoreLab> {
    const images = [agentImages(), ...(options.images ?? [])];
    const clusters = await OperatorLab.start({ ...options, images });
    const started = new RestoreLab(clusters, await mkdtemp(join(tmpdir(), 'restore-lab-')), options.operator ?? {});
    started.startOperator();
    return started;
  }

  startOperator(): void {
    const stop = new AbortController();
    const { retry, clock, clusterWide = false } = this.#operator;
    const log = createLogger({ clock: systemClock, level: 'debug', write: (record) => this.log.push(record) });
    const ended = runEtcdRestoreOperator(
      {
        client: this.clusters.lab.client({ ...adminIdentity, client: 'restore-operator' }),
        log,
        namespace,
        identity: 'restore',
        leaderElection: false,
        clusterWide,
        agentImage: agentImageName,
        scratchDirectory: join(this.directory, 'scratch'),
        // The stores of tests are on loopback, which is forbidden for stores of users.
        storage: { directory: this.directory, policy: { allowLocal: true, resolve }, ...(retry && { retry }) },
        ...(clock && { clock }),
        dial: this.clusters.paths.dial,
      },
      stop.signal,
    );
    // The caller that waits for the end of the operator gets the error.
    ended.catch(() => undefined);
    this.#running = { stop, ended };
  }

  async stopOperator(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.stop.abort(new Error('the test stops the restore operator'));
    await running?.ended.catch(() => undefined);
  }

  /** The path of a backup's file. */
  file(path: string): string {
    return join(this.directory, namespace, path);
  }

  /** A plain snapshot, as `etcdctl snapshot save` makes it. */
  async snapshot(cluster: string, path: string, login?: Login): Promise<void> {
    using member = await this.clusters.member(cluster, login);
    await mkdir(dirname(this.file(path)), { recursive: true });
    await pipeline(Readable.from(member.maintenance.snapshot()), createWriteStream(this.file(path)));
  }

  async claims(cluster: string): Promise<readonly PersistentVolumeClaim[]> {
    const select = { namespace: 'default', labelSelector: `${labels.cluster}=${cluster}` };
    return (await this.clusters.lab.client().resource(persistentVolumeClaims).list(select)).items;
  }

  async contents(cluster: string): Promise<StoreContents> {
    using member = await this.clusters.member(cluster);
    return await storeContents(member);
  }

  async fill(cluster: string, count: number): Promise<void> {
    using member = await this.clusters.member(cluster);
    await fillStore(member, count);
  }

  restore(name: string, path: string, spec: Source & { readonly cluster?: string } = {}): Promise<EtcdRestore> {
    const { cluster = name, ...more } = spec;
    const source = { backupStorageType: 'Directory', directory: { path } };
    return this.create(name, { etcdCluster: { name: cluster }, ...source, ...more });
  }

  create(name: string, spec: EtcdRestoreSpec): Promise<EtcdRestore> {
    const restore: EtcdRestore = {
      apiVersion: 'etcd.database.coreos.com/v1beta2',
      kind: 'EtcdRestore',
      metadata: { name, namespace },
      spec,
    };
    return this.clusters.until(`create EtcdRestore ${name}`, async () => {
      try {
        return await this.#restores.create(restore);
      } catch (error) {
        if (isKubeError(error, 'NotFound')) return undefined;
        throw error;
      }
    });
  }

  get(name: string): Promise<EtcdRestore> {
    return this.#restores.get({ namespace, name });
  }

  async change(name: string, spec: Partial<EtcdRestoreSpec>): Promise<void> {
    await this.#restores.patch({ namespace, name }, { type: 'merge', patch: { spec } });
  }

  async delete(name: string): Promise<void> {
    await this.#restores.delete({ namespace, name });
  }

  /** Waits until a restore has ended, successfully or not. */
  async ended(name: string, milliseconds?: number): Promise<NonNullable<EtcdRestore['status']>> {
    return this.clusters.until(
      `EtcdRestore ${name} ended`,
      async () => {
        const { status } = await this.get(name);
        return status?.phase === 'Succeeded' || status?.phase === 'Failed' ? status : undefined;
      },
      milliseconds,
      async () => `${JSON.stringify((await this.get(name)).status, undefined, 1)}\n${this.#recentLog()}`,
    );
  }

  /** Waits until a restore has succeeded. Throws at once if the restore fails. */
  async succeeded(name: string, milliseconds?: number): Promise<NonNullable<EtcdRestore['status']>> {
    const status = await this.ended(name, milliseconds);
    if (!status.succeeded) throw new Error(`EtcdRestore ${name} failed: ${status.reason}\n${this.#recentLog()}`);
    return status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopOperator();
    await this.clusters[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true, force: true });
  }

  get #restores() {
    return this.clusters.lab.client().resource(etcdRestores.resource);
  }

  #recentLog(): string {
    return this.log
      .slice(-20)
      .map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`)
      .join('\n');
  }
}
