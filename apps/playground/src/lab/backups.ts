// SPDX-License-Identifier: Apache-2.0
import { isKubeError } from '@etcd-operator/kube';
import type { Lab } from '@etcd-operator/kube-lab';
import {
  clientServiceName,
  type EtcdBackup,
  type EtcdRestore,
  etcdBackups,
  etcdRestores,
} from '@etcd-operator/operator';
import { systemClock } from '@etcd-operator/ports';
import { DoingError, type Store } from './doings.ts';
import { namespace } from './example-cluster.ts';
import { objectStore } from './object-store.ts';

const { endpoint, awsSecret, bucket } = objectStore;
const apiVersion = 'etcd.database.coreos.com/v1beta2';
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
    const backup: EtcdBackup = {
      apiVersion,
      kind: 'EtcdBackup',
      metadata: { name, namespace },
      spec: {
        etcdEndpoints: [`http://${clientServiceName(cluster)}.${namespace}.svc:2379`],
        storageType: 'S3',
        s3: sourceAt(path),
      },
    };
    const backups = this.#lab.client().resource(etcdBackups.resource);
    await backups.create(backup, { signal });
    const revision = await settled(signal, async () => {
      const { status } = await backups.get({ namespace, name }, { signal });
      return { isDone: status?.succeeded, why: status?.Reason, value: status?.etcdRevision };
    });
    this.#last = path;
    return `backed up to ${path}, revision ${revision ?? '?'}`;
  }

  async restore(cluster: string, signal: AbortSignal): Promise<string> {
    const path = this.#last;
    if (path === undefined) throw new DoingError('there is no backup yet: make one first');
    await this.#ready();
    const restores = this.#lab.client().resource(etcdRestores.resource);
    const key = { namespace, name: cluster };
    await restores.delete(key, { signal }).catch((error: unknown) => {
      if (!isKubeError(error, 'NotFound')) throw error;
    });
    const restore: EtcdRestore = {
      apiVersion,
      kind: 'EtcdRestore',
      metadata: key,
      spec: { etcdCluster: { name: cluster }, backupStorageType: 'S3', s3: sourceAt(path) },
    };
    await restores.create(restore, { signal });
    await settled(signal, async () => {
      const { status } = await restores.get(key, { signal });
      return { isDone: status?.succeeded, why: status?.phase === 'Failed' ? status.reason : '', value: undefined };
    });
    return `restored from ${path}`;
  }
}

function sourceAt(path: string) {
  return { path, awsSecret, endpoint, forcePathStyle: true };
}

/** Asks until it is done or has failed. */
async function settled<T>(
  signal: AbortSignal,
  ask: () => Promise<{ readonly isDone: boolean | undefined; readonly why: string | undefined; readonly value: T }>,
): Promise<T> {
  const end = systemClock.monotonic() + patience;
  for (;;) {
    const { isDone, why, value } = await ask();
    if (isDone) return value;
    if (why) throw new DoingError(why);
    if (systemClock.monotonic() > end) throw new DoingError(`it has not come to an end within ${patience / 1000} s`);
    await systemClock.sleep(200, signal);
  }
}
