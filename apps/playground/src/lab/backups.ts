// SPDX-License-Identifier: Apache-2.0

import {
  clientServiceName,
  type EtcdBackup,
  type EtcdRestore,
  etcdBackups,
  etcdRestores,
} from '@etcd-operator/operator';
import { isKubeError } from '@operator-parts/kube';
import type { Lab } from '@operator-parts/kube-lab';
import { systemClock } from '@operator-parts/ports';
import { namespace } from './example-cluster.ts';
import { ActionError, type Store } from './lab-actions.ts';
import { objectStore } from './object-store.ts';

const { awsSecret, bucket } = objectStore;
const apiVersion = 'etcd.database.coreos.com/v1beta2';
const patience = 120_000;

export interface BackupsOptions {
  readonly lab: Lab;
  /** Resolves when the store is ready. */
  readonly ready: () => Promise<void>;
  /** Called for each backup that can be restored. */
  readonly tell: (cluster: string, path: string) => void;
}

/** Backs clusters up to the playground's object store, and restores the last backup. */
export class Backups implements Store {
  readonly #lab: Lab;
  readonly #ready: () => Promise<void>;
  readonly #tell: BackupsOptions['tell'];
  #count = 0;
  readonly #last = new Map<string, string>();

  constructor({ lab, ready, tell }: BackupsOptions) {
    this.#lab = lab;
    this.#ready = ready;
    this.#tell = tell;
  }

  /** Numbers new backups after those in the store. */
  remember(names: readonly string[]): void {
    const numbered = names.flatMap((name) => {
      const [, cluster = '', count = ''] = /^(.+)-(\d+)$/.exec(name) ?? [];
      return cluster === '' ? [] : [{ cluster, count: Number(count) }];
    });
    for (const { cluster, count } of numbered.toSorted((a, b) => a.count - b.count)) {
      this.#count = count;
      this.#made(cluster, `${bucket}/${cluster}-${count}`);
    }
  }

  #made(cluster: string, path: string): void {
    this.#last.set(cluster, path);
    this.#tell(cluster, path);
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
    await backups.create(backup, { signal }).catch(noOperator('etcd-backup-operator'));
    const revision = await settled(signal, async () => {
      const { status } = await backups.get({ namespace, name }, { signal });
      return { isDone: status?.succeeded, why: status?.Reason, value: status?.etcdRevision };
    });
    this.#made(cluster, path);
    return `backed up to ${path}, revision ${revision ?? '?'}`;
  }

  async restore(cluster: string, signal: AbortSignal): Promise<string> {
    const path = this.#last.get(cluster);
    if (path === undefined) throw new ActionError('there is no backup yet: take a backup first');
    await this.#perform(cluster, { backupStorageType: 'S3', s3: sourceAt(path) }, signal);
    return `restored from ${path}`;
  }

  async recover(cluster: string, signal: AbortSignal): Promise<string> {
    const { survivor } = (await this.#perform(cluster, { source: { survivor: {} } }, signal)) ?? {};
    return `recovered from member ${survivor?.member ?? '?'}`;
  }

  /** Resolves with the restored backup. */
  async #perform(
    cluster: string,
    from: Omit<EtcdRestore['spec'], 'etcdCluster'>,
    signal: AbortSignal,
  ): Promise<NonNullable<EtcdRestore['status']>['source']> {
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
      spec: { etcdCluster: { name: cluster }, ...from },
    };
    await restores.create(restore, { signal }).catch(noOperator('etcd-restore-operator'));
    return settled(signal, async () => {
      const { status } = await restores.get(key, { signal });
      return { isDone: status?.succeeded, why: status?.phase === 'Failed' ? status.reason : '', value: status?.source };
    });
  }
}

function sourceAt(path: string) {
  return { path, awsSecret };
}

/** In a playground without operators these kinds are not served before one is deployed. */
function noOperator(name: string): (error: unknown) => never {
  return (error) => {
    if (!isKubeError(error, 'NotFound')) throw error;
    throw new ActionError(`${name} is not running: kubectl create -f example/${name}/deployment.yaml`, {
      cause: error,
    });
  };
}

/** Polls until it is done or has failed. */
async function settled<T>(
  signal: AbortSignal,
  ask: () => Promise<{ readonly isDone: boolean | undefined; readonly why: string | undefined; readonly value: T }>,
): Promise<T> {
  const end = systemClock.monotonic() + patience;
  for (;;) {
    const { isDone, why, value } = await ask();
    if (isDone) return value;
    if (why) throw new ActionError(why);
    if (systemClock.monotonic() > end)
      throw new ActionError(`the backup or restore did not finish within ${patience / 1000} s`);
    await systemClock.sleep(200, signal);
  }
}
