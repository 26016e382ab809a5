// SPDX-License-Identifier: Apache-2.0

import { type EtcdCluster, type EtcdClusterSpec, etcdClusters } from '@etcd-operator/operator';
import { clientPort, MemberClient } from '@operator-parts/etcd';
import { isKubeError, type Pod, pods } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import type { Ground } from './ground.ts';
import type { Scene } from './scene.ts';

/** The name of the cluster of every run. */
export const clusterName = 'one';

/** What a copy of it is called. */
export const copyName = `${clusterName}-copy`;

/** Where a user works: a namespace of a lab. */
export interface Site extends Pick<Scene, 'namespace' | 'client' | 'until'> {
  readonly ground: Pick<Ground, 'lab'>;
}

/** The EtcdCluster of a run, as its user sees it. */
export class Clusters {
  readonly name: string;
  readonly #scene: Site;

  constructor(scene: Site, name = clusterName) {
    this.#scene = scene;
    this.name = name;
  }

  async create(spec: EtcdClusterSpec): Promise<EtcdCluster> {
    const { namespace, client } = this.#scene;
    const cluster: EtcdCluster = {
      ...{ apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdCluster', spec },
      metadata: { name: this.name, namespace },
    };
    return this.#scene.until('create the cluster', () =>
      client.resource(etcdClusters.resource).create(cluster).catch(notYet),
    );
  }

  get(): Promise<EtcdCluster> {
    return this.#scene.client.resource(etcdClusters.resource).get(this.#key);
  }

  async change(spec: Partial<EtcdClusterSpec>): Promise<void> {
    await this.#scene.client.resource(etcdClusters.resource).patch(this.#key, { type: 'merge', patch: { spec } });
  }

  async delete(): Promise<void> {
    await this.#scene.client.resource(etcdClusters.resource).delete(this.#key);
  }

  async pods(): Promise<readonly Pod[]> {
    const { namespace, client } = this.#scene;
    const { items } = await client.resource(pods).list({ namespace, labelSelector: `etcd_cluster=${this.name}` });
    return items;
  }

  /** Available at its size and version, with nothing left to do. */
  async settled(milliseconds?: number): Promise<EtcdCluster> {
    return this.#scene.until(
      `the cluster ${this.name} is settled`,
      async () => {
        const cluster = await this.get().catch(notYet);
        return cluster && isSettled(cluster) ? cluster : undefined;
      },
      milliseconds,
    );
  }

  /** A client of one member, or of whoever the Service leads to. */
  member(host = `${this.name}-client.${this.#scene.namespace}.svc.cluster.local`): MemberClient {
    return new MemberClient({
      target: { host, port: clientPort },
      clock: systemClock,
      dial: (target) => this.#scene.ground.lab.dial(target.host, target.port),
      timeoutMs: 2_000,
    });
  }

  /** Asks again and again until there is an answer. */
  until<T>(what: string, ask: () => Promise<T | undefined>, milliseconds?: number): Promise<T> {
    return this.#scene.until(what, ask, milliseconds);
  }

  get #key() {
    return { namespace: this.#scene.namespace, name: this.name };
  }
}

function isSettled({ metadata, spec, status }: EtcdCluster): boolean {
  if (status?.observedGeneration !== metadata?.generation) return false;
  if (spec.paused) return status?.controlPaused === true;
  if (status?.readySize !== spec.size || status.size !== spec.size) return false;
  if (spec.version !== undefined && status.currentVersion !== spec.version) return false;
  const isAvailable = status.conditions?.some(({ type, status: value }) => type === 'Available' && value === 'True');
  return Boolean(isAvailable) && (status.plan?.next?.length ?? 0) === 0 && (status.plan?.waitingFor?.length ?? 0) === 0;
}

/** The kinds, or the object, are not there yet. */
function notYet(error: unknown): undefined {
  if (!isKubeError(error, 'NotFound')) throw error;
}
