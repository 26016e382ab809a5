// SPDX-License-Identifier: Apache-2.0
import { type Client, type KubeObject, qualifiedName, type Resource } from '@etcd-operator/kube';
import { Informer, type InformerOptions, type InformerSelection } from './informer.ts';

/** What all informers of a pool have in common. */
export interface InformerPoolOptions
  extends Pick<
    InformerOptions<KubeObject>,
    'clock' | 'random' | 'log' | 'metrics' | 'freeze' | 'streaming' | 'idleLimit'
  > {
  readonly client: Client;
  /** Holds this namespace only, unless asked for another. @default all namespaces */
  readonly namespace?: string;
}

/** What may be set for one informer when it is first asked for. */
export type InformerRequest<T extends KubeObject> = InformerSelection & Pick<InformerOptions<T>, 'transform'>;

/**
 * The informers of a program: one per kind and selection, shared by all who ask, started with the pool or, if asked for later,
 * at once.
 */
export class InformerPool {
  readonly #options: InformerPoolOptions;
  readonly #informers = new Map<string, Informer<KubeObject>>();
  readonly #running = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;

  constructor(options: InformerPoolOptions) {
    this.#options = options;
  }

  /** The informer of a kind and selection. A `transform` can be given only by the first who asks. */
  informer<T extends KubeObject>(resource: Resource<T>, request: InformerRequest<T> = {}): Informer<T> {
    const { client, namespace, ...common } = this.#options;
    const where = { ...(namespace && resource.namespaced ? { namespace } : {}), ...request };
    const id = JSON.stringify([qualifiedName(resource), where.namespace, where.labelSelector, where.fieldSelector]);
    const known = this.#informers.get(id);
    if (known) {
      if (request.transform)
        throw new Error(`the cache of ${known.name} exists already; give its transform at first use`);
      return known as unknown as Informer<T>;
    }
    const made = new Informer<T>({ ...common, ...where, resource, reader: client.resource(resource) });
    const stored = made as unknown as Informer<KubeObject>;
    this.#informers.set(id, stored);
    if (this.#signal) this.#start(stored, this.#signal);
    return made;
  }

  /** All informers that hold a kind. */
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
    if (!signal.aborted) {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    }
    await Promise.all(this.#running);
  }

  #start(informer: Informer<KubeObject>, signal: AbortSignal): void {
    const run = informer.run(signal).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }
}
