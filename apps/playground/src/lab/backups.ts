// SPDX-License-Identifier: Apache-2.0
import { isKubeError, type KubeObject, type Resource } from '@etcd-operator/kube';
import type { Lab } from '@etcd-operator/kube-lab';
import { clientServiceName } from '@etcd-operator/operator';
import { systemClock } from '@etcd-operator/ports';
import { DoingError, type Store } from './doings.ts';
import { namespace } from './example-cluster.ts';
import { objectStore } from './object-store.ts';

interface Reported extends KubeObject {
  readonly spec: object;
  readonly status?: {
    readonly succeeded?: boolean;
    readonly Reason?: string;
    readonly reason?: string;
    readonly etcdRevision?: number;
  };
}

const served = { group: 'etcd.database.coreos.com', version: 'v1beta2', namespaced: true } as const;
const backups: Resource<Reported> = { ...served, kind: 'EtcdBackup', plural: 'etcdbackups' };
const restores: Resource<Reported> = { ...served, kind: 'EtcdRestore', plural: 'etcdrestores' };

const { endpoint, awsSecret, bucket } = objectStore;
const patience = 120_000;

/** Backs clusters up to the playground's object store, and restores the last backup. */
export class Backups implements Store {
  readonly #lab: Lab;
  /** Resolves when the store can be used. */
  readonly #ready: () => Promise<void>;
  #count = 0;
  #last: string | undefined;

  constructor(lab: Lab, ready: () => Promise<void>) {
    this.#lab = lab;
    this.#ready = ready;
  }

  async backUp(cluster: string, signal: AbortSignal): Promise<string> {
    await this.#ready();
    this.#count += 1;
    const path = `${bucket}/${cluster}-${this.#count}`;
    const name = `${cluster}-${this.#count}`;
    const spec = {
      etcdEndpoints: [`http://${clientServiceName(cluster)}.${namespace}.svc:2379`],
      storageType: 'S3',
      s3: this.#source(path),
    };
    const { status } = await this.#outcome(backups, name, spec, signal);
    this.#last = path;
    return `backed up to ${path}, revision ${status?.etcdRevision ?? '?'}`;
  }

  async restore(cluster: string, signal: AbortSignal): Promise<string> {
    const path = this.#last;
    if (path === undefined) throw new DoingError('there is no backup yet: make one first');
    await this.#ready();
    const restored = this.#lab.client().resource(restores);
    await restored.delete({ namespace, name: cluster }, { signal }).catch((error: unknown) => {
      if (!isKubeError(error, 'NotFound')) throw error;
    });
    const spec = { etcdCluster: { name: cluster }, backupStorageType: 'S3', s3: this.#source(path) };
    await this.#outcome(restores, cluster, spec, signal);
    return `restored from ${path}`;
  }

  #source(path: string) {
    return { path, awsSecret, endpoint, forcePathStyle: true };
  }

  async #outcome(resource: Resource<Reported>, name: string, spec: object, signal: AbortSignal): Promise<Reported> {
    const client = this.#lab.client().resource(resource);
    const { kind } = resource;
    const apiVersion = `${served.group}/${served.version}`;
    await client
      .create({ apiVersion, kind, metadata: { name, namespace }, spec }, { signal })
      .catch((error: unknown) => {
        if (!isKubeError(error, 'NotFound')) throw error;
        throw new DoingError(`${kind} is not served here yet`, { cause: error });
      });
    const end = systemClock.monotonic() + patience;
    for (;;) {
      const object = await client.get({ namespace, name }, { signal });
      const { succeeded, Reason, reason } = object.status ?? {};
      if (succeeded) return object;
      if (Reason || reason) throw new DoingError(`${kind} ${name} failed: ${Reason || reason}`);
      if (systemClock.monotonic() > end) throw new DoingError(`${kind} ${name} has not come to an end in time`);
      await systemClock.sleep(200, signal);
    }
  }
}
