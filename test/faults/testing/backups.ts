// SPDX-License-Identifier: Apache-2.0

import {
  type EtcdBackup,
  type EtcdBackupSpec,
  type EtcdRestore,
  etcdBackups,
  etcdRestores,
} from '@etcd-operator/operator';
import type { S3Server } from '@operator-parts/blob/testing';
import { isKubeError, secrets } from '@operator-parts/kube';
import { clusterName, type Site } from './clusters.ts';

const apiVersion = 'etcd.database.coreos.com/v1beta2';
const awsSecret = 'aws';

/** Where backups are made, and where their store is. */
export interface BackupSite extends Site {
  readonly storeEndpoint: string;
  readonly ground: Site['ground'] & {
    readonly s3: Pick<S3Server, 'bucket' | 'region' | 'accessKeyId' | 'secretAccessKey'>;
  };
}

/** Backups and restores of a run, in a folder of its own of the real store. */
export class Backups {
  readonly #scene: BackupSite;

  constructor(scene: BackupSite) {
    this.#scene = scene;
  }

  /** The Secret that they need. */
  async allow(): Promise<void> {
    const { accessKeyId, secretAccessKey, region } = this.#scene.ground.s3;
    const data = {
      credentials: `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
      config: `[default]\nregion = ${region}\n`,
    };
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    const metadata = { name: awsSecret, namespace: this.#scene.namespace };
    await this.#scene.client.resource(secrets).create({ metadata, data: Object.fromEntries(encoded) });
  }

  async create(name: string, more: Partial<EtcdBackupSpec> = {}): Promise<void> {
    const { namespace } = this.#scene;
    const etcdEndpoints = [`http://${clusterName}-client.${namespace}.svc:2379`];
    const spec: EtcdBackupSpec = { etcdEndpoints, storageType: 'S3', s3: this.#s3(name), ...more };
    const backup: EtcdBackup = { apiVersion, kind: 'EtcdBackup', metadata: { name, namespace }, spec };
    await this.#scene.until(`create ${name}`, () => this.#backups.create(backup).catch(notYet));
  }

  get(name: string): Promise<EtcdBackup> {
    return this.#backups.get({ namespace: this.#scene.namespace, name });
  }

  async change(name: string, spec: Partial<EtcdBackupSpec>): Promise<void> {
    await this.#backups.patch({ namespace: this.#scene.namespace, name }, { type: 'merge', patch: { spec } });
  }

  async succeeded(name: string): Promise<void> {
    await this.#scene.until(`backup ${name}`, async () =>
      (await this.get(name)).status?.succeeded === true ? true : undefined,
    );
  }

  /** Restores what a backup of this name has stored; resolves when nothing of the restore is left to do. */
  restore(name: string, more: Partial<EtcdRestore['spec']> = {}, restore?: string): Promise<void> {
    return this.restoreFrom({ backupStorageType: 'S3', s3: this.#s3(name), ...more }, restore);
  }

  /** Restores from whatever the spec names; resolves when nothing of the restore is left to do. */
  async restoreFrom(spec: Partial<EtcdRestore['spec']>, name = 'back'): Promise<void> {
    const { namespace, client } = this.#scene;
    const restores = client.resource(etcdRestores.resource);
    const metadata = { name, namespace };
    const whole = { etcdCluster: { name: clusterName }, ...spec };
    const restore: EtcdRestore = { apiVersion, kind: 'EtcdRestore', metadata, spec: whole };
    await this.#scene.until('create the restore', () => restores.create(restore).catch(notYet));
    await this.#scene.until('restored', async () => {
      const { status, metadata: found } = await restores.get({ namespace, name });
      if (status?.phase === 'Failed') throw new Error(`the restore failed: ${status.reason}`);
      return status?.succeeded && !found?.finalizers?.length ? true : undefined;
    });
  }

  /** Deletes a backup and the restore of it. */
  async delete(name: string, restore: string): Promise<void> {
    const { namespace, client } = this.#scene;
    await this.#backups.delete({ namespace, name });
    await client.resource(etcdRestores.resource).delete({ namespace, name: restore });
  }

  #s3(name: string) {
    const { namespace, storeEndpoint, ground } = this.#scene;
    return {
      ...{ path: `${ground.s3.bucket}/${namespace}/${name}`, awsSecret },
      ...{ endpoint: storeEndpoint, forcePathStyle: true },
    };
  }

  get #backups() {
    return this.#scene.client.resource(etcdBackups.resource);
  }
}

/** The kinds are not there yet. */
function notYet(error: unknown): undefined {
  if (!isKubeError(error, 'NotFound')) throw error;
}
