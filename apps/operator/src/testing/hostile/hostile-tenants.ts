// SPDX-License-Identifier: Apache-2.0
import { type Client, namespaces, secrets } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { type EtcdBackup, type EtcdBackupSpec, etcdBackups } from '../../api/etcd-backup.ts';
import { type EtcdCluster, etcdClusters } from '../../api/etcd-cluster.ts';
import { ownFinalizer } from '../../backup/act/finalizers.ts';
import type { HostileBucket, HostileStore } from './hostile-store.ts';

const apiVersion = 'etcd.database.coreos.com/v1beta2';

/** What the tenants use. */
export interface Hostility {
  readonly client: Client;
  readonly store: HostileStore;
  /** Endpoint of an etcd that belongs to the tenants and is reachable. */
  readonly etcdEndpoint: string;
}

/**
 * Hostile tenants, each in its own namespace. They create backups to a store that trickles, delete backups from a store that never answers
 * and from a store whose listings never end, and keep editing a backup and a cluster that fail at once.
 */
export class HostileTenants {
  readonly #world: Hostility;
  readonly names: readonly string[];

  constructor(count: number, world: Hostility) {
    this.names = Array.from({ length: count }, (_, index) => `hostile-${index}`);
    this.#world = world;
  }

  /** Begins backups to a store that accepts data but does not complete a request. */
  async backUp(): Promise<void> {
    for (const namespace of this.names) {
      await this.#settleIn(namespace);
      for (const index of [0, 1, 2]) await this.#backup(namespace, `slow-${index}`, 'trickle');
    }
  }

  /** Deletes backups from stores that do not answer, or answer without end. */
  async delete(): Promise<void> {
    for (const namespace of this.names) {
      for (const index of [0, 1]) await this.#deleted(namespace, `dead-${index}`, 'dead');
      await this.#deleted(namespace, 'endless', 'endless');
    }
  }

  async #settleIn(namespace: string): Promise<void> {
    const { client } = this.#world;
    await client.resource(namespaces).create({ metadata: { name: namespace } });
    const credentials = '[default]\naws_access_key_id = a\naws_secret_access_key = b\n';
    const stringData = { credentials, config: '[default]\nregion = r\n' };
    await client.resource(secrets).create({ metadata: { name: 'aws', namespace }, stringData });
    const { endpoint } = this.#world.store;
    const s3 = { path: 'trickle/failing', awsSecret: 'missing', endpoint, forcePathStyle: true };
    await this.#backup(namespace, 'failing', 'trickle', { s3 });
    await client.resource(etcdClusters.resource).create(brokenCluster(namespace));
  }

  /** Edits the failing objects, one tenant after the other, with this interval, until the signal is aborted. */
  async edit(everyMs: number, signal: AbortSignal): Promise<void> {
    const { client } = this.#world;
    for (let round = 0; !signal.aborted; round++) {
      const namespace = this.names[round % this.names.length] ?? '';
      const patch = { spec: { backupPolicy: { timeoutInSecond: 1000 + round } } };
      await client.resource(etcdBackups.resource).patch({ namespace, name: 'failing' }, { type: 'merge', patch });
      const size = { spec: { size: 1 + 2 * (Math.floor(round / this.names.length) % 3) } };
      await client.resource(etcdClusters.resource).patch({ namespace, name: 'broken' }, { type: 'merge', patch: size });
      await systemClock.sleep(everyMs, signal).catch(() => undefined);
    }
  }

  async #deleted(namespace: string, name: string, bucket: HostileBucket): Promise<void> {
    const more = { deletionPolicy: 'Delete', etcdEndpoints: ['http://127.0.0.1:1'] } as const;
    await this.#backup(namespace, name, bucket, more, [ownFinalizer]);
    await this.#world.client.resource(etcdBackups.resource).delete({ namespace, name });
  }

  async #backup(
    namespace: string,
    name: string,
    bucket: HostileBucket,
    more: Partial<EtcdBackupSpec> = {},
    finalizers: readonly string[] = [],
  ): Promise<void> {
    const { client, store, etcdEndpoint } = this.#world;
    const backup: EtcdBackup = {
      apiVersion,
      kind: 'EtcdBackup',
      metadata: { name, namespace, finalizers: [...finalizers] },
      spec: {
        etcdEndpoints: [etcdEndpoint],
        storageType: 'S3',
        s3: {
          path: `${bucket}/${namespace}/${name}`,
          awsSecret: 'aws',
          endpoint: store.endpoint,
          forcePathStyle: true,
        },
        backupPolicy: { timeoutInSecond: 7 * 24 * 3600 },
        ...more,
      },
    };
    await client.resource(etcdBackups.resource).create(backup);
  }
}

/** The cluster waits for a Secret that is never created. */
function brokenCluster(namespace: string): EtcdCluster {
  const TLS = { static: { operatorSecret: 'missing', member: { peerSecret: 'missing', serverSecret: 'missing' } } };
  return { apiVersion, kind: 'EtcdCluster', metadata: { name: 'broken', namespace }, spec: { size: 3, TLS } };
}
