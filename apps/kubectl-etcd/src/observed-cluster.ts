// SPDX-License-Identifier: Apache-2.0

import {
  type ClusterCredentials,
  type ClusterObjects,
  ClusterSecrets,
  type EtcdCluster,
  EtcdObserver,
  fromServer,
  kubernetesView,
  type Observation,
  observe,
  targetsOf,
} from '@etcd-operator/operator';
import type { MemberClient } from '@operator-parts/etcd';
import type { Access } from './access.ts';
import { CliError } from './cli-error.ts';
import { podDialer } from './pod-dialer.ts';

/**
 * One cluster as the operator sees it now, read from the API server and, through port-forwards, from etcd itself. Holds
 * connections until it is disposed.
 */
export class ObservedCluster implements Disposable {
  readonly found: ClusterObjects;
  readonly observation: Observation;
  readonly #observer: EtcdObserver;
  readonly #credentials: ClusterCredentials;

  private constructor(
    found: ClusterObjects,
    observation: Observation,
    observer: EtcdObserver,
    credentials: ClusterCredentials,
  ) {
    this.found = found;
    this.observation = observation;
    this.#observer = observer;
    this.#credentials = credentials;
  }

  /**
   * @param changed the cluster with a changed spec; its pods and its etcd are those of `cluster`.
   * @default unchanged
   */
  static async read(access: Access, cluster: EtcdCluster, changed?: EtcdCluster): Promise<ObservedCluster> {
    const { client, transport, clock, signal } = access;
    const read = await fromServer(client, cluster, signal);
    if (!read)
      throw new CliError(
        'NotFound',
        `EtcdCluster ${cluster.metadata?.name ?? ''} was deleted while this command was running`,
      );
    const found = { ...read, cluster: changed ?? read.cluster };
    const { credentials, problems } = await new ClusterSecrets(clock).check(found.cluster, client, signal);
    const view = kubernetesView(found, {
      credentials,
      secretProblems: problems,
      coreosOperator: undefined,
      imageCheckOutput: new Map(),
      isLive: true,
      seenSince: () => Math.max(1, clock.monotonic()),
    });
    const observer = new EtcdObserver({ clock, dial: podDialer(transport, found.pods) });
    try {
      return new ObservedCluster(found, await observe(view, observer, credentials, signal), observer, credentials);
    } catch (error) {
      observer.close();
      throw error;
    }
  }

  /** A client of the member in the given pod. */
  member(podName: string): MemberClient | undefined {
    return this.#observer.clients(targetsOf(this.observation), this.#credentials).get(podName);
  }

  [Symbol.dispose](): void {
    this.#observer.close();
  }
}
