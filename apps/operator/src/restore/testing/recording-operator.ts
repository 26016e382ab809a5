// SPDX-License-Identifier: Apache-2.0
import type { MemberClient } from '@operator-parts/etcd';
import { isKubeError } from '@operator-parts/kube';
import { silentLogger } from '@operator-parts/ports';
import { type EtcdBackup, type EtcdBackupSpec, type EtcdBackupStatus, etcdBackups } from '../../api/etcd-backup.ts';
import { runEtcdBackupOperator } from '../../backup-operator.ts';
import { agentImageName } from './agent-image.ts';
import type { RestoreLab } from './restore-lab.ts';

const namespace = 'default';

/** An etcd-backup-operator in the lab that records the changes of clusters, in the folder that restores read. */
export class RecordingOperator implements AsyncDisposable {
  readonly #lab: RestoreLab;
  readonly #stop = new AbortController();
  readonly #work: Promise<void>;

  constructor(lab: RestoreLab) {
    this.#lab = lab;
    const { clusters, directory } = lab;
    const options = { client: clusters.lab.client(), log: silentLogger, namespace, identity: 'backup' };
    this.#work = runEtcdBackupOperator(
      {
        ...options,
        leaderElection: false,
        agentImage: agentImageName,
        dial: clusters.paths.dial,
        storage: { directory },
      },
      this.#stop.signal,
    );
    this.#work.catch(() => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#work.catch(() => undefined);
  }

  /** Records the changes of a cluster under its name. */
  async record(name: string, more: Partial<EtcdBackupSpec> = {}): Promise<void> {
    const backup: EtcdBackup = {
      apiVersion: 'etcd.database.coreos.com/v1beta2',
      kind: 'EtcdBackup',
      metadata: { name, namespace },
      spec: {
        clusterRef: { name },
        storageType: 'Directory',
        directory: { path: name },
        backupPolicy: { backupIntervalInSecond: 3_600 },
        continuous: {},
        ...more,
      },
    };
    // The operator may not have installed the kind yet.
    await this.#lab.clusters.until(`create EtcdBackup ${name}`, () =>
      this.#backups.create(backup).catch((error: unknown) => {
        if (isKubeError(error, 'NotFound')) return undefined;
        throw error;
      }),
    );
  }

  /** Waits until a test restore of a stored backup has succeeded with this version of etcd. */
  async proven(name: string, version: string): Promise<NonNullable<EtcdBackupStatus['lastProven']>> {
    return this.#lab.clusters.until(
      `the backup of ${name} is proven with ${version}`,
      async () => {
        const { lastProven } = (await this.#backups.get({ name, namespace })).status ?? {};
        return lastProven?.etcdVersion === version ? lastProven : undefined;
      },
      180_000,
      async () => JSON.stringify((await this.#backups.get({ name, namespace })).status, undefined, 1),
    );
  }

  /** Waits until everything that the member has is stored, and returns that revision. */
  async recorded(name: string, { maintenance }: MemberClient): Promise<bigint> {
    const { revision } = await maintenance.status();
    return this.#lab.clusters.until(`revision ${revision} is recorded`, async () => {
      const { status } = await this.#backups.get({ name, namespace });
      return BigInt(status?.recoveryPoint?.revision ?? 0) >= revision ? revision : undefined;
    });
  }

  get #backups() {
    return this.#lab.clusters.lab.client().resource(etcdBackups.resource);
  }
}
