// SPDX-License-Identifier: Apache-2.0
import { type Client, type KubeObject, qualifiedName, type Resource, whenAborted } from '@operator-parts/kube';
import { Informer, type InformerOptions, type InformerSelection } from './informer.ts';
import type { ServerData, ServerDataListener } from './server-data.ts';

/** What all informers of a pool share. */
export interface InformerPoolOptions
  extends Pick<
    InformerOptions<KubeObject>,
    'clock' | 'random' | 'log' | 'metrics' | 'freeze' | 'streaming' | 'idleLimit'
  > {
  readonly client: Client;
  /** The namespace of its caches, unless a caller asks for another. @default all namespaces */
  readonly namespace?: string;
}

/** Options of one informer, used when it is first requested. */
export type InformerRequest<T extends KubeObject> = InformerSelection & Pick<InformerOptions<T>, 'transform'>;

/**
 * The informers of a program: one per kind and selection, shared by all callers. They start with the pool or, if
 * requested later, at once. If one of them finds that the API server's data was replaced (restored from a backup, lost
 * or swapped), all of them list again.
 */
export class InformerPool implements ServerData {
  readonly #options: InformerPoolOptions;
  readonly #informers = new Map<string, Informer<KubeObject>>();
  readonly #running = new Set<Promise<void>>();
  readonly #serverDataListeners = new Set<ServerDataListener>();
  /**
   * Informers that list again because another informer found that the data was replaced: they must not report the same
   * replacement again.
   */
  readonly #inDoubt = new Set<Informer<KubeObject>>();
  #generation = 0;
  #signal: AbortSignal | undefined;

  constructor(options: InformerPoolOptions) {
    this.#options = options;
  }

  /** The informer of a kind and selection. Only the first caller can set a `transform`. */
  informer<T extends KubeObject>(resource: Resource<T>, request: InformerRequest<T> = {}): Informer<T> {
    const { client, namespace, ...common } = this.#options;
    const where = { ...(namespace && resource.namespaced ? { namespace } : {}), ...request };
    const id = JSON.stringify([qualifiedName(resource), where.namespace, where.labelSelector, where.fieldSelector]);
    const known = this.#informers.get(id);
    if (known) {
      if (request.transform)
        throw new Error(`the cache of ${known.name} already exists; pass its transform when the cache is first used`);
      return known as unknown as Informer<T>;
    }
    const made = new Informer<T>({ ...common, ...where, resource, reader: client.resource(resource) });
    const stored = made as unknown as Informer<KubeObject>;
    this.#informers.set(id, stored);
    stored.onReplaced(() => this.#onReplaced(stored));
    stored.onProgress(() => void this.#inDoubt.delete(stored));
    if (this.#signal) this.#start(stored, this.#signal);
    return made;
  }

  get doubt(): string | undefined {
    for (const informer of this.#informers.values()) {
      const { problem } = informer.status;
      if (problem?.kind === 'older') return `the cache of ${informer.name} may be wrong: ${problem.error.message}`;
    }
    return undefined;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Calls `listener` when the API server's data was replaced. */
  onServerDataReplaced(listener: ServerDataListener): void {
    this.#serverDataListeners.add(listener);
  }

  /** All informers of a kind. */
  informersOf(resource: Resource): readonly Informer<KubeObject>[] {
    const name = qualifiedName(resource);
    return [...this.#informers.values()].filter((informer) => informer.name === name);
  }

  all(): readonly Informer<KubeObject>[] {
    return [...this.#informers.values()];
  }

  /** Keeps all caches up to date until `signal` is aborted; resolves when all have ended. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const informer of this.#informers.values()) this.#start(informer, signal);
    await whenAborted(signal);
    await Promise.all(this.#running);
  }

  #onReplaced(found: Informer<KubeObject>): void {
    this.#generation++;
    if (this.#inDoubt.has(found)) return;
    for (const other of this.#informers.values()) if (other !== found) this.#reread(other, found);
    for (const listener of this.#serverDataListeners) listener(found.name);
  }

  #reread(informer: Informer<KubeObject>, found: Informer<KubeObject>): void {
    if (!informer.hasSynced) return;
    this.#inDoubt.add(informer);
    if (informer.status.problem?.kind === 'older') return;
    informer.relist(
      `the cache of ${found.name} detected that the API server's data was replaced (restored from a backup, lost or swapped)`,
    );
  }

  #start(informer: Informer<KubeObject>, signal: AbortSignal): void {
    const run = informer.run(signal).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }
}
