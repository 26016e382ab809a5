// SPDX-License-Identifier: Apache-2.0
import { isKubeError, type Pod, pods } from '@etcd-operator/kube';
import type { Fault, Lab } from '@etcd-operator/kube-lab';
import { etcdClusters } from '@etcd-operator/operator';
import type { Action } from '../model/action.ts';
import { applyObjects, objectsIn } from './apply-objects.ts';
import { EtcdVersions } from './etcd-versions.ts';
import { namespace } from './example-cluster.ts';

/** Something that cannot be done here and now; the message says why, and what can be. */
export class DoingError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DoingError';
  }
}

/** Backups of the cluster on the playground's own object store. */
export interface Store {
  backUp(cluster: string, signal: AbortSignal): Promise<string>;
  restore(cluster: string, signal: AbortSignal): Promise<string>;
}

export interface DoingsOptions {
  readonly lab: Lab;
  readonly versions: EtcdVersions;
  /** The cluster that is meant. */
  readonly cluster: () => string;
  readonly store: Store;
  /** Told whenever a node was cut off or healed. */
  readonly onCut: (nodes: readonly string[]) => void;
}

/** Does to the lab what a person asks for. */
export class Doings {
  readonly #options: DoingsOptions;
  readonly #cuts = new Map<string, readonly Fault[]>();

  constructor(options: DoingsOptions) {
    this.#options = options;
  }

  /** Resolves with a sentence on what was done. */
  async perform(action: Action, signal: AbortSignal): Promise<string> {
    const { store, cluster } = this.#options;
    switch (action.do) {
      case 'kill':
        return this.#kill(action.member, signal);
      case 'blank':
        return this.#blank(action.member);
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
        return store.backUp(cluster(), signal);
      case 'restore':
        return store.restore(cluster(), signal);
      case 'apply':
        return (await applyObjects(objectsIn(action.text), { transport: this.#lab.server.transport(), signal })).join(
          '; ',
        );
    }
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
    return `${name} is killed, its pod and its data with it`;
  }

  async #blank(name: string): Promise<string> {
    try {
      await this.#lab.faults.disk.blank({ namespace, name }, 'etcd-data');
      await this.#lab.faults.pod.signal({ namespace, name }, 'SIGKILL', 'etcd');
    } catch (error) {
      throw this.#absent(error, name);
    }
    return `the disk of ${name} is empty, and its process was killed`;
  }

  async #cut(node: string): Promise<string> {
    this.#needNode(node);
    if (this.#cuts.has(node)) throw new DoingError(`${node} is cut off already; heal it`);
    const { network } = this.#lab.faults;
    this.#cuts.set(node, [
      await network.isolate({ node }),
      await network.cut({ node }, 'api-server'),
      await network.cut({ node }, 'lab'),
    ]);
    this.#options.onCut([...this.#cuts.keys()]);
    return `${node} is cut off from everything`;
  }

  async #heal(node: string | undefined): Promise<string> {
    if (node !== undefined) this.#needNode(node);
    const healed = node === undefined ? [...this.#cuts.keys()] : [node].filter((name) => this.#cuts.has(name));
    if (healed.length === 0) return node === undefined ? 'no node is cut off' : `${node} is not cut off`;
    for (const name of healed) {
      for (const fault of this.#cuts.get(name) ?? []) await fault.heal();
      this.#cuts.delete(name);
    }
    this.#options.onCut([...this.#cuts.keys()]);
    return `${healed.join(', ')} ${healed.length === 1 ? 'is' : 'are'} back on the network`;
  }

  async #reboot(): Promise<string> {
    const { nodes, faults } = this.#lab;
    await Promise.all(nodes.map(({ name }) => faults.node.reboot(name)));
    return `all ${nodes.length} nodes were rebooted at the same moment`;
  }

  async #upgrade(version: string | undefined, signal: AbortSignal): Promise<string> {
    const { versions, cluster } = this.#options;
    const { spec, status } = await this.#lab
      .client()
      .resource(etcdClusters.resource)
      .get({ namespace, name: cluster() }, { signal });
    const now = status?.currentVersion || spec.version || versions.first.version;
    const wanted = version ?? EtcdVersions.after(now);
    if (wanted === undefined) throw new DoingError(`there is nothing newer than etcd ${now} here`);
    const exact = await versions.add(wanted);
    return this.#change({ version: exact }, `spec.version is ${exact}`, signal);
  }

  async #change(spec: object, words: string, signal: AbortSignal): Promise<string> {
    const key = { namespace, name: this.#options.cluster() };
    await this.#lab.client().resource(etcdClusters.resource).patch(key, { type: 'merge', patch: { spec } }, { signal });
    return words;
  }

  #needNode(name: string): void {
    const known = this.#lab.nodes.map((node) => node.name);
    if (!known.includes(name)) throw new DoingError(`there is no node ${name}; there are ${known.join(', ')}`);
  }

  #absent(error: unknown, name: string): unknown {
    const isAbsent = isKubeError(error, 'NotFound') || (error as { code?: unknown }).code === 'NotFound';
    return isAbsent ? new DoingError(`there is no running member ${name}`, { cause: error }) : error;
  }
}

/** Pod name -> node name. */
export function placementOf(found: readonly Pod[]): ReadonlyMap<string, string> {
  return new Map(found.map(({ metadata, spec }) => [metadata?.name ?? '', spec?.nodeName ?? '']));
}
