// SPDX-License-Identifier: Apache-2.0
import { clientPort, MemberClient } from '@operator-parts/etcd';
import { WritingClient, writtenKeys } from '@operator-parts/etcd/testing';
import { type PersistentVolumeClaim, type Pod, persistentVolumeClaims, pods } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { labels } from '../../api/names.ts';
import type { RestoreLab } from './restore-lab.ts';

export const persistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
} as const;

const namespace = 'default';

/** Clusters that lose members permanently, and a client that records which writes were acknowledged. */
export class SurvivorScene {
  readonly #lab: RestoreLab;

  constructor(lab: RestoreLab) {
    this.#lab = lab;
  }

  get #volumes() {
    return this.#lab.clusters.lab.client().resource(persistentVolumeClaims);
  }

  async claims(cluster: string): Promise<readonly PersistentVolumeClaim[]> {
    return (await this.#volumes.list({ namespace, labelSelector: `${labels.cluster}=${cluster}` })).items;
  }

  async podNames(cluster: string): Promise<string[]> {
    const found = await this.#lab.clusters.pods(cluster);
    return found.map(({ metadata }) => metadata?.name ?? '').sort();
  }

  /** Writes through one member until it is stopped. */
  async recordedClient(cluster: string, via: string): Promise<WritingClient> {
    const pod = (await this.#lab.clusters.pods(cluster)).find(({ metadata }) => metadata?.name === via);
    return new WritingClient(
      new MemberClient({
        target: { host: pod?.status?.podIP ?? '', port: clientPort },
        clock: systemClock,
        dial: ({ host, port }) => this.#lab.clusters.lab.dial(host, port),
        timeoutMs: 1_000,
      }),
    );
  }

  /** Waits until the process of a pod has ended: a pod that is deleted by force keeps running for a moment. */
  ended({ metadata, status }: Pod): Promise<true> {
    const { clusters } = this.#lab;
    return clusters.until(`the end of ${metadata?.name}`, () =>
      clusters.lab.dial(status?.podIP ?? '', clientPort).then(
        (socket) => void socket.destroy(),
        () => true as const,
      ),
    );
  }

  /**
   * Deletes the pods together with their volumes, while the etcd-operator is stopped. A pod that is deleted by force keeps running for a
   * moment. As long as it forms a quorum with the survivor, no recovery begins.
   */
  async lose(names: readonly string[]): Promise<void> {
    const { clusters } = this.#lab;
    const found = await Promise.all(names.map((name) => clusters.lab.client().resource(pods).get({ namespace, name })));
    await Promise.all(names.map((name) => this.#volumes.delete({ namespace, name })));
    await Promise.all(names.map((name) => clusters.deletePod(name, 0)));
    for (const pod of found) await this.ended(pod);
  }

  quorumLost(name: string): Promise<true> {
    const { clusters } = this.#lab;
    return clusters.until(`${name} has lost its quorum`, async () => {
      const { status } = await clusters.get(name);
      const available = status?.conditions?.find(({ type }) => type === 'Available');
      return available?.status === 'False' && available.reason === 'QuorumLost' ? (true as const) : undefined;
    });
  }

  async keys(cluster: string): Promise<ReadonlySet<string>> {
    using member = await this.#lab.clusters.member(cluster);
    return await writtenKeys(member);
  }

  async recover(name: string, member?: string): Promise<void> {
    await this.#lab.create(name, {
      etcdCluster: { name },
      source: { survivor: { ...(member !== undefined && { member }) } },
    });
  }
}
