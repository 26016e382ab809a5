// SPDX-License-Identifier: Apache-2.0
import { type Login, type MemberClient, toBytes } from '@operator-parts/etcd';
import { expect } from 'vitest';
import { type AdminClient, adminClient } from '../kube-client.ts';
import { type Frame, recordWhile } from '../recording-client.ts';
import { until, untilTrue } from '../until.ts';
import { etcdPods, etcdView, openMember, type Trust } from './etcd-view.ts';
import { defineKinds } from './manifests.ts';
import { nothingLost, selector } from './operator-scene.ts';
import { type ObjectStore, startStore } from './s3.ts';
import { openScene, type Scene } from './scene.ts';

const apiVersion = 'etcd.database.coreos.com/v1beta2';

interface Finished {
  readonly status?: {
    readonly succeeded?: boolean;
    readonly etcdVersion?: string;
    readonly etcdRevision?: number;
    readonly Reason?: string;
    readonly reason?: string;
  };
}

/**
 * A namespace that enforces the restricted Pod Security Standard, with an S3 server and one cluster that is backed up
 * and restored. The test decides how the operators run.
 */
export class BackupScene implements AsyncDisposable {
  readonly scene: Scene;
  readonly store: ObjectStore;
  readonly name: string;
  /** For a cluster whose members require certificates. */
  trust: Trust | undefined;
  /** For a cluster whose authentication is enabled. */
  login: Login | undefined;
  readonly #admin: AdminClient;

  static async open(topic: string, name: string): Promise<BackupScene> {
    const scene = await openScene(topic, { podSecurity: 'restricted' });
    await defineKinds(scene);
    return new BackupScene(scene, name, await startStore(scene), await adminClient(scene.cluster));
  }

  private constructor(scene: Scene, name: string, store: ObjectStore, admin: AdminClient) {
    this.scene = scene;
    this.name = name;
    this.store = store;
    this.#admin = admin;
  }

  /** Another cluster in the same namespace, deleted with this one. */
  besides(name: string): BackupScene {
    return new BackupScene(this.scene, name, this.store, this.#admin);
  }

  /** The objects are deleted while an operator can clean up after them; then the operators are removed. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { scene } = this;
    await scene.tryKubectl(['delete', 'etcdbackups,etcdrestores,etcdclusters', '--all', '--timeout=180s']);
    await scene.tryKubectl(['delete', 'deployments', '--all', '--cascade=foreground']);
    await this.#admin[Symbol.asyncDispose]();
    await scene[Symbol.asyncDispose]();
  }

  async untilHealthy(size = 3): Promise<void> {
    const view = () => etcdView(this.#admin.client, this.scene.namespace, selector(this.name), this.trust);
    await untilTrue(`${size} healthy members`, async () => (await view()).healthy.length === size);
  }

  async put(key: string, value: string): Promise<void> {
    await this.onMember(({ kv }) => kv.put({ key: toBytes(key), value: toBytes(value) }));
  }

  async read(key: string): Promise<string | undefined> {
    const { kvs } = await this.onMember(({ kv }) => kv.range({ key: toBytes(key) }));
    return kvs[0] && Buffer.from(kvs[0].value).toString('utf8');
  }

  /** Runs an action while a client writes and reads; no acknowledged write may be lost. */
  async whileWriting(work: () => Promise<void>, frame?: Frame): Promise<void> {
    const { scene, trust } = this;
    const options = {
      client: this.#admin.client,
      namespace: scene.namespace,
      labelSelector: selector(this.name),
      trust,
    };
    expect(await recordWhile(options, work, frame)).toMatchObject(nothingLost);
  }

  async createBackup(object: string, key: string, more: object = {}): Promise<void> {
    const { store, scene, trust, name } = this;
    const host = `${name}-client.${scene.namespace}.svc:2379`;
    const access = trust
      ? { etcdEndpoints: [`https://${host}`], clientTLSSecret: 'etcd-client-tls' }
      : { etcdEndpoints: [`http://${host}`] };
    const spec = { ...access, storageType: 'S3', s3: store.at(key), ...more };
    await scene.create({ apiVersion, kind: 'EtcdBackup', metadata: { name: object }, spec });
  }

  async createRestore(key: string, object = this.name, more: object = {}): Promise<void> {
    const { store, scene, name } = this;
    const spec = { etcdCluster: { name }, backupStorageType: 'S3', s3: store.at(key), ...more };
    await scene.create({ apiVersion, kind: 'EtcdRestore', metadata: { name: object }, spec });
  }

  async untilSucceeded(kind: 'etcdbackup' | 'etcdrestore', object: string): Promise<NonNullable<Finished['status']>> {
    let last: Finished = {};
    const ask = async () => {
      last = await this.scene.get<Finished>(kind, object);
      return last.status?.succeeded === true ? last.status : undefined;
    };
    return until(`${kind} ${object} succeeded`, ask).catch((cause: unknown) => {
      throw new Error(`${kind} ${object} was last seen as ${JSON.stringify(last.status)}`, { cause });
    });
  }

  /** Asks members repeatedly until one has done all the work. */
  async onMember<T>(work: (member: MemberClient) => Promise<T>): Promise<T> {
    // The work may have no result, so the answer is that it is done.
    const { result } = await until('a member answers', async () => {
      using member = await this.someMember();
      return { result: await work(member) };
    });
    return result;
  }

  /** Any of them. */
  async someMember(): Promise<MemberClient> {
    const pods = await etcdPods(this.#admin.client, this.scene.namespace, selector(this.name));
    const pod = pods[Math.floor(Math.random() * pods.length)];
    return openMember(pod?.status?.podIP ?? '', this.trust, this.login);
  }
}
