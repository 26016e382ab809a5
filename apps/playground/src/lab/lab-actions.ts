// SPDX-License-Identifier: Apache-2.0

import { counted, type EtcdCluster, etcdClusters, isOrAre } from '@etcd-operator/operator';
import { ignoreNotFound, isKubeError, type Pod, persistentVolumeClaims, pods } from '@operator-parts/kube';
import type { Fault, Lab } from '@operator-parts/kube-lab';
import { systemClock } from '@operator-parts/ports';
import type { Action } from '../model/action.ts';
import { isDataLost } from '../model/state.ts';
import { applyObjects, objectsIn } from './apply-objects.ts';
import { EtcdVersions } from './etcd-versions.ts';
import { namespace } from './example-cluster.ts';

/** An action that is not possible now; the message says why, and what is. */
export class ActionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ActionError';
  }
}

/** Backups of the cluster in the playground's own object store. */
export interface Store {
  backUp(cluster: string, signal: AbortSignal): Promise<string>;
  restore(cluster: string, signal: AbortSignal): Promise<string>;
  /** From the remaining members. */
  recover(cluster: string, signal: AbortSignal): Promise<string>;
}

export interface LabActionsOptions {
  readonly lab: Lab;
  readonly versions: EtcdVersions;
  /** Name of the selected cluster; undefined while there is none. */
  readonly cluster: () => string | undefined;
  readonly store: Store;
  /** Called whenever a node was disconnected or healed. */
  readonly onCut: (nodes: readonly string[]) => void;
}

/** Carries out the user's actions in the lab. */
export class LabActions {
  readonly #options: LabActionsOptions;
  readonly #cuts = new Map<string, readonly Fault[]>();

  constructor(options: LabActionsOptions) {
    this.#options = options;
  }

  /** Resolves with a sentence about the result. */
  async perform(action: Action, signal: AbortSignal): Promise<string> {
    const { store } = this.#options;
    switch (action.do) {
      case 'kill':
        return this.#kill(action.member, signal);
      case 'blank':
        return this.#blank(action.member);
      case 'lose':
        return this.#lose(action.but, signal);
      case 'recover':
        return store.recover(this.#cluster, signal);
      case 'cut':
        return this.#cut(action.node);
      case 'heal':
        return this.#heal(action.node);
      case 'reboot':
        return this.#reboot();
      case 'resize':
        return this.#change({ size: action.size }, `spec.size is ${action.size}`, signal);
      case 'upgrade':
        return this.#upgrade(action.version, signal);
      case 'backup':
        return store.backUp(this.#cluster, signal);
      case 'restore':
        return store.restore(this.#cluster, signal);
      case 'renew':
        return this.#renew(signal);
      case 'apply':
        return (await applyObjects(objectsIn(action.text), { transport: this.#lab.server.transport(), signal })).join(
          '; ',
        );
    }
  }

  get #cluster(): string {
    const name = this.#options.cluster();
    if (name !== undefined) return name;
    throw new ActionError('there is no cluster yet: kubectl apply -f example/example-etcd-cluster.yaml');
  }

  get #lab(): Lab {
    return this.#options.lab;
  }

  async #kill(name: string, signal: AbortSignal): Promise<string> {
    try {
      await this.#lab.client().resource(pods).delete({ namespace, name }, { gracePeriodSeconds: 0, signal });
    } catch (error) {
      throw this.#absent(error, name);
    }
    return `member ${name} was killed; its pod and its data are gone`;
  }

  /** All at once: otherwise the operator would replace them one by one. */
  async #lose(but: string, signal: AbortSignal): Promise<string> {
    const client = this.#lab.client();
    const labelSelector = `etcd_cluster=${this.#cluster}`;
    const { items } = await client.resource(pods).list({ namespace, labelSelector, signal });
    const names = items.map(({ metadata }) => metadata?.name ?? '');
    if (!names.includes(but)) throw new ActionError(`member ${but} is not running or does not exist`);
    const lost = names.filter((name) => name !== but);
    if (lost.length === 0) throw new ActionError(`${but} is the only member: use kill`);
    const volumes = client.resource(persistentVolumeClaims);
    await Promise.all(lost.map((name) => ignoreNotFound(volumes.delete({ namespace, name }, { signal }))));
    await Promise.all(
      lost.map((name) =>
        ignoreNotFound(client.resource(pods).delete({ namespace, name }, { gracePeriodSeconds: 0, signal })),
      ),
    );
    return `${lost.join(' and ')} ${isOrAre(lost.length)} lost with their data; ${but} is left`;
  }

  async #blank(name: string): Promise<string> {
    try {
      await this.#lab.faults.disk.blank({ namespace, name }, 'etcd-data');
      await this.#lab.faults.pod.signal({ namespace, name }, 'SIGKILL', 'etcd');
    } catch (error) {
      throw this.#absent(error, name);
    }
    return `the data of member ${name} was deleted, and its process was killed`;
  }

  async #cut(node: string): Promise<string> {
    this.#needNode(node);
    if (this.#cuts.has(node)) throw new ActionError(`${node} is already disconnected; use heal to reconnect it`);
    const { network } = this.#lab.faults;
    this.#cuts.set(node, [
      await network.isolate({ node }),
      await network.cut({ node }, 'api-server'),
      await network.cut({ node }, 'lab'),
    ]);
    this.#options.onCut([...this.#cuts.keys()]);
    return `${node} was disconnected from the network`;
  }

  async #heal(node: string | undefined): Promise<string> {
    if (node !== undefined) this.#needNode(node);
    const healed = node === undefined ? [...this.#cuts.keys()] : [node].filter((name) => this.#cuts.has(name));
    if (healed.length === 0) return node === undefined ? 'no node is disconnected' : `${node} is not disconnected`;
    for (const name of healed) {
      for (const fault of this.#cuts.get(name) ?? []) await fault.heal();
      this.#cuts.delete(name);
    }
    this.#options.onCut([...this.#cuts.keys()]);
    return `${healed.join(', ')} ${isOrAre(healed.length)} back on the network`;
  }

  async #reboot(): Promise<string> {
    const { nodes, faults } = this.#lab;
    await Promise.all(nodes.map(({ name }) => faults.node.reboot(name)));
    return `${counted(nodes.length, 'node')} rebooted at the same moment`;
  }

  async #upgrade(version: string | undefined, signal: AbortSignal): Promise<string> {
    const { versions } = this.#options;
    const { spec, status } = await this.#lab
      .client()
      .resource(etcdClusters.resource)
      .get({ namespace, name: this.#cluster }, { signal });
    const now = status?.currentVersion || spec.version || versions.first.version;
    const wanted = version ?? EtcdVersions.after(now);
    if (wanted === undefined) throw new ActionError(`the playground has no newer etcd than ${now}`);
    const exact = await versions.add(wanted);
    return this.#change({ version: exact }, `spec.version is ${exact}`, signal);
  }

  async #change(spec: object, words: string, signal: AbortSignal): Promise<string> {
    const key = { namespace, name: this.#cluster };
    await this.#lab.client().resource(etcdClusters.resource).patch(key, { type: 'merge', patch: { spec } }, { signal });
    return words;
  }

  /** While an object is being deleted, another one with its name cannot be created. */
  async #renew(signal: AbortSignal): Promise<string> {
    const clusters = this.#lab.client().resource(etcdClusters.resource);
    const key = { namespace, name: this.#cluster };
    const found = await clusters.get(key, { signal });
    if (!isDataLost(found))
      throw new ActionError(
        `EtcdCluster ${key.name} has not lost its data: delete it and apply it again to begin empty`,
      );
    const { metadata, spec } = found;
    await clusters.delete(key, { ...(metadata?.uid && { preconditions: { uid: metadata.uid } }), signal });
    // Without its annotations, which identify the previous etcd cluster.
    const again: EtcdCluster = {
      apiVersion: 'etcd.database.coreos.com/v1beta2',
      kind: 'EtcdCluster',
      metadata: key,
      spec,
    };
    for (;;) {
      const made = await clusters.create(again, { signal }).catch((error: unknown) => {
        if (!isKubeError(error, 'AlreadyExists')) throw error;
        return undefined;
      });
      if (made) return `EtcdCluster ${key.name} was created again, empty`;
      await systemClock.sleep(200, signal);
    }
  }

  #needNode(name: string): void {
    const known = this.#lab.nodes.map((node) => node.name);
    if (!known.includes(name)) throw new ActionError(`node ${name} does not exist; the nodes are ${known.join(', ')}`);
  }

  #absent(error: unknown, name: string): unknown {
    const isAbsent = isKubeError(error, 'NotFound') || (error as { code?: unknown }).code === 'NotFound';
    return isAbsent ? new ActionError(`member ${name} is not running or does not exist`, { cause: error }) : error;
  }
}

/** Pod name -> node name. */
export function placementOf(found: readonly Pod[]): ReadonlyMap<string, string> {
  return new Map(found.map(({ metadata, spec }) => [metadata?.name ?? '', spec?.nodeName ?? '']));
}
