// SPDX-License-Identifier: Apache-2.0
import {
  type ApplyOptions,
  type CallOptions,
  type Client,
  type DeleteOptions,
  KubeError,
  type KubeObject,
  keyOf,
  type ListOptions,
  type ObjectKey,
  type ObjectList,
  type Patch,
  type Resource,
  type ResourceClient,
  type SelectOptions,
  type SubresourceClient,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from '@operator-parts/kube';

/** Called for each write of a tracked client. */
export interface WriteListener {
  wrote(resource: Resource, key: ObjectKey, object: KubeObject): void;
  deleted(resource: Resource, key: ObjectKey, answer: KubeObject): void;
}

export interface TrackedClientOptions {
  /** Ends every call, in addition to the call's own signal; once aborted, nothing is written. @default none */
  readonly signal?: AbortSignal;
  /** Like `signal`, for writes only. @default none */
  readonly writeSignal?: AbortSignal;
  /** Throws if writes are no longer allowed. */
  readonly fence: (() => void) | undefined;
  /** @default writes are not reported */
  readonly writes?: WriteListener;
  /** The error message when a write is refused. @default a message that the reconcile was aborted */
  readonly refusal?: string;
}

/**
 * A client that reports its writes, and refuses them once its signal is aborted or the fence throws. A reconcile that
 * outlives its lease therefore cannot do harm. Both are checked when a write begins and again when it is sent, after
 * any wait for a free connection, and before every retry.
 */
export function trackedClient(client: Client, options: TrackedClientOptions): Client {
  const { repeats } = client;
  return {
    resource: (resource) => new TrackedResourceClient(client.resource(resource), options),
    ...(repeats === undefined ? {} : { repeats }),
  };
}

class TrackedResourceClient<T extends KubeObject> implements ResourceClient<T> {
  readonly #target: ResourceClient<T>;
  readonly #signal: AbortSignal | undefined;
  readonly #writeSignal: AbortSignal | undefined;
  readonly #fence: (() => void) | undefined;
  readonly #listener: WriteListener | undefined;
  readonly #refusal: string;

  constructor(target: ResourceClient<T>, options: TrackedClientOptions) {
    this.#target = target;
    this.#signal = options.signal;
    this.#writeSignal = options.writeSignal ?? options.signal;
    this.#fence = options.fence;
    this.#listener = options.writes;
    this.#refusal = options.refusal ?? 'the write was not sent, because this reconciliation had been aborted';
  }

  get resource(): Resource<T> {
    return this.#target.resource;
  }

  get status(): SubresourceClient<T> {
    return this.#tracked(this.#target.status);
  }

  subresource<S = unknown>(name: string): SubresourceClient<S> {
    return this.#tracked(this.#target.subresource<S>(name));
  }

  get(key: ObjectKey, options?: { readonly signal?: AbortSignal; readonly resourceVersion?: string }): Promise<T> {
    return this.#target.get(key, this.#with(options));
  }

  list(options?: ListOptions): Promise<ObjectList<T>> {
    return this.#target.list(this.#with(options));
  }

  pages(options?: ListOptions): AsyncIterable<ObjectList<T>> {
    return this.#target.pages(this.#with(options));
  }

  watch(options?: WatchOptions): AsyncIterable<WatchEvent<T>> {
    return this.#target.watch(this.#with(options));
  }

  async create(object: T, options?: WriteOptions): Promise<T> {
    return this.#record(await this.#target.create(object, this.#guard(options)), options);
  }

  async replace(object: T, options?: WriteOptions): Promise<T> {
    return this.#record(await this.#target.replace(object, this.#guard(options)), options);
  }

  async patch(key: ObjectKey, patch: Patch, options?: WriteOptions & { readonly force?: boolean }): Promise<T> {
    return this.#record(await this.#target.patch(key, patch, this.#guard(options)), options);
  }

  async apply(object: T, options: ApplyOptions): Promise<T> {
    return this.#record(await this.#target.apply(object, this.#guard(options)), options);
  }

  async delete(key: ObjectKey, options?: DeleteOptions): Promise<KubeObject> {
    const answer = await this.#target.delete(key, this.#guard(options));
    if (!options?.dryRun) this.#listener?.deleted(this.resource, key, answer);
    return answer;
  }

  async deleteCollection(select: SelectOptions, options?: DeleteOptions): Promise<void> {
    await this.#target.deleteCollection(select, this.#guard(options));
  }

  #record(written: T, options: WriteOptions | undefined): T {
    if (!options?.dryRun) this.#listener?.wrote(this.resource, keyOf(written), written);
    return written;
  }

  #guard<O extends CallOptions>(options: O | undefined): O {
    const fence = () => {
      this.#assertMayWrite();
      options?.fence?.();
    };
    fence();
    return { ...options, ...linked(this.#writeSignal, options?.signal), fence } as O;
  }

  #assertMayWrite(): void {
    try {
      this.#writeSignal?.throwIfAborted();
      this.#fence?.();
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new KubeError('Aborted', `${this.#refusal}: ${why}`, { cause });
    }
  }

  #with<O extends CallOptions>(options: O | undefined): O {
    return { ...options, ...linked(this.#signal, options?.signal) } as O;
  }

  /**
   * Reports the writes of a subresource, too: answers of `status` and `scale` contain the version of the object that
   * they belong to.
   */
  #tracked<S>(target: SubresourceClient<S>): SubresourceClient<S> {
    const record = (key: ObjectKey, answer: S, options: WriteOptions | undefined): S => {
      if (isObject(answer) && !options?.dryRun) this.#listener?.wrote(this.resource, key, answer);
      return answer;
    };
    return {
      get: (key, options) => target.get(key, this.#with(options)),
      create: async (key, body, options) => record(key, await target.create(key, body, this.#guard(options)), options),
      replace: async (key, body, options) =>
        record(key, await target.replace(key, body, this.#guard(options)), options),
      patch: async (key, patch, options) => record(key, await target.patch(key, patch, this.#guard(options)), options),
      apply: async (key, body, options) => record(key, await target.apply(key, body, this.#guard(options)), options),
    };
  }
}

/** A call ends with its own signal or with that of the client. */
function linked(own: AbortSignal | undefined, call: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  const signal = own && call && own !== call ? AbortSignal.any([own, call]) : (own ?? call);
  return signal ? { signal } : {};
}

function isObject(value: unknown): value is KubeObject {
  return typeof value === 'object' && value !== null && 'metadata' in value;
}
