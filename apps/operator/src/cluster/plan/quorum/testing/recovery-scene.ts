// SPDX-License-Identifier: Apache-2.0
import { labEtcd } from '@operator-parts/etcd/testing';
import { nodes, persistentVolumeClaims } from '@operator-parts/kube';
import type { EtcdCluster, EtcdClusterSpec } from '../../../../api/etcd-cluster.ts';
import { type EtcdRestore, etcdRestores } from '../../../../api/etcd-restore.ts';
import { RestoreLab } from '../../../../restore/testing/restore-lab.ts';

const namespace = 'default';

/** Three members on volumes. */
export const onVolumes = {
  size: 3,
  version: labEtcd.version,
  pod: {
    persistentVolumeClaimSpec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
} as const satisfies EtcdClusterSpec;

export const automatic = { quorumLoss: 'Automatic', after: '10s' } as const;

/** A lab with both operators, in which members are lost permanently. */
export class RecoveryScene implements AsyncDisposable {
  readonly lab: RestoreLab;

  private constructor(lab: RestoreLab) {
    this.lab = lab;
  }

  static async start(): Promise<RecoveryScene> {
    return new RecoveryScene(await RestoreLab.start({ nodes: 4 }));
  }

  get clusters() {
    return this.lab.clusters;
  }

  get client() {
    return this.clusters.lab.client();
  }

  async made(name: string, spec: EtcdClusterSpec): Promise<EtcdCluster> {
    await this.clusters.create(name, spec);
    return this.clusters.settled(name, 120_000);
  }

  async namesOf(cluster: string): Promise<readonly string[]> {
    const found = await this.clusters.pods(cluster);
    return found.map(({ metadata }) => metadata?.name ?? '').sort();
  }

  async restoresOf(cluster: string): Promise<readonly EtcdRestore[]> {
    const { items } = await this.client.resource(etcdRestores.resource).list({ namespace });
    return items.filter(({ spec }) => spec.etcdCluster.name === cluster);
  }

  /** Deletes pods and volumes at the same time. */
  async lose(names: readonly string[]): Promise<void> {
    const volumes = this.client.resource(persistentVolumeClaims);
    await Promise.all(names.map((name) => volumes.delete({ namespace, name })));
    await Promise.all(names.map((name) => this.clusters.deletePod(name, 0)));
  }

  async cordon(unschedulable: boolean): Promise<void> {
    const all = this.client.resource(nodes);
    for (const { metadata } of (await all.list({})).items)
      await all.patch({ name: metadata?.name ?? '' }, { type: 'merge', patch: { spec: { unschedulable } } });
  }

  async messageOf(cluster: string): Promise<string> {
    const { status } = await this.clusters.get(cluster);
    return status?.conditions?.find(({ type }) => type === 'Available')?.message ?? '';
  }

  async says(cluster: string, words: string): Promise<void> {
    const isSaid = async () => ((await this.messageOf(cluster)).includes(words) ? true : undefined);
    await this.clusters.until(`${cluster} says "${words}"`, isSaid, 60_000, () => this.messageOf(cluster));
  }

  async recovered(cluster: string): Promise<EtcdCluster> {
    const isNext = async () => {
      const { status } = await this.clusters.get(cluster);
      return status?.incarnation === 2 && status.readySize === 3 ? true : undefined;
    };
    await this.clusters.until(`${cluster} is recovered`, isNext, 120_000, () => this.messageOf(cluster));
    return this.clusters.settled(cluster, 120_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lab[Symbol.asyncDispose]();
  }
}
