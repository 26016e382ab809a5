// SPDX-License-Identifier: Apache-2.0
import { type KubeObject, keyOf, type ObjectKey, type ObjectList } from '../object.ts';
import { apiVersionOf, type Resource, resourcePath } from '../resource.ts';
import { badResponse, bodyText, type Call, type CallContext, send, sendForObject } from './call.ts';
import type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  ListOptions,
  Patch,
  ResourceClient,
  SelectOptions,
  SubresourceClient,
  WatchOptions,
  WriteOptions,
} from './client.ts';
import { namespacePath, objectPath } from './object-path.ts';
import { applyBody, patchBody } from './patch-body.ts';
import { deleteHasPrecondition, hasPrecondition, patchHasPrecondition } from './precondition.ts';
import { deleteBody, listQuery, selectQuery, watchQuery, withQuery, writeQuery } from './query.ts';
import { subresourceClient } from './subresource-client.ts';
import { watchEvents } from './watch.ts';
import type { WatchEvent } from './watch-event.ts';

const defaultPageSize = 500;

/** The client of one kind. Answers are returned as parsed; arguments are not modified. */
export class HttpResourceClient<T extends KubeObject> implements ResourceClient<T> {
  readonly resource: Resource<T>;
  readonly status: SubresourceClient<T>;
  readonly #context: CallContext;

  constructor(context: CallContext, resource: Resource<T>) {
    this.#context = context;
    this.resource = resource;
    this.status = subresourceClient<T>(context, resource, 'status', (body) => this.#complete(body as T));
  }

  async get(key: ObjectKey, options: CallOptions & { readonly resourceVersion?: string } = {}): Promise<T> {
    const path = withQuery(objectPath(this.resource, key), { resourceVersion: options.resourceVersion });
    return (await sendForObject(this.#context, { method: 'GET', path, signal: options.signal })) as T;
  }

  async list(options: ListOptions = {}): Promise<ObjectList<T>> {
    const first = await this.#page(options);
    if (options.limit !== undefined || !first.metadata.continue) return first;
    // If a server returns pages without being asked, all pages are still read.
    const items = [...first.items];
    for await (const page of this.#pagesAfter(first, options)) for (const item of page.items) items.push(item);
    const { resourceVersion } = first.metadata;
    return { ...first, metadata: resourceVersion === undefined ? {} : { resourceVersion }, items };
  }

  async *pages(options: ListOptions = {}): AsyncGenerator<ObjectList<T>, void, undefined> {
    const paged = { ...options, limit: options.limit ?? defaultPageSize };
    const first = await this.#page(paged);
    yield first;
    yield* this.#pagesAfter(first, paged);
  }

  watch(options: WatchOptions = {}): AsyncIterable<WatchEvent<T>> {
    const path = withQuery(resourcePath(this.resource, options), watchQuery(options));
    const { signal, onBytes } = options;
    return watchEvents<T>(this.#context, { method: 'GET', path, signal, onBytes }, options.idleTimeout);
  }

  async create(object: T, options: WriteOptions = {}): Promise<T> {
    const path = withQuery(namespacePath(this.resource, object), writeQuery(options));
    return this.#write({ method: 'POST', path, body: JSON.stringify(this.#complete(object)) }, options);
  }

  async replace(object: T, options: WriteOptions = {}): Promise<T> {
    const path = withQuery(objectPath(this.resource, keyOf(object)), writeQuery(options));
    const body = JSON.stringify(this.#complete(object));
    return this.#write({ method: 'PUT', path, body, repeatable: hasPrecondition(object) }, options);
  }

  async patch(key: ObjectKey, patch: Patch, options: WriteOptions & { readonly force?: boolean } = {}): Promise<T> {
    const path = withQuery(objectPath(this.resource, key), writeQuery(options));
    const repeatable = patchHasPrecondition(patch);
    return this.#write({ method: 'PATCH', path, ...patchBody(patch), repeatable }, options);
  }

  async apply(object: T, options: ApplyOptions): Promise<T> {
    const path = withQuery(objectPath(this.resource, keyOf(object)), writeQuery(options));
    const repeatable = hasPrecondition(object);
    const body = applyBody(this.#complete(object));
    return this.#write({ method: 'PATCH', path, ...body, repeatable }, options);
  }

  async delete(key: ObjectKey, options: DeleteOptions = {}): Promise<KubeObject> {
    const path = objectPath(this.resource, key);
    const { signal, fence } = options;
    const call: Call = { method: 'DELETE', path, body: deleteBody(options), signal, fence };
    const repeatable = deleteHasPrecondition(options);
    return (await sendForObject(this.#context, { ...call, repeatable })) as KubeObject;
  }

  async deleteCollection(select: SelectOptions, options: DeleteOptions = {}): Promise<void> {
    const path = withQuery(namespacePath(this.resource, select), selectQuery(select));
    const signal = options.signal ?? select.signal;
    const call: Call = { method: 'DELETE', path, body: deleteBody(options), signal, fence: options.fence };
    await bodyText(this.#context, call, await send(this.#context, call));
  }

  subresource<S = unknown>(name: string): SubresourceClient<S> {
    return subresourceClient<S>(this.#context, this.resource, name);
  }

  async #write(call: Call, { signal, fence }: CallOptions): Promise<T> {
    return (await sendForObject(this.#context, { ...call, signal, fence })) as T;
  }

  async #page(options: ListOptions): Promise<ObjectList<T>> {
    const path = withQuery(resourcePath(this.resource, options), listQuery(options));
    const call: Call = { method: 'GET', path, signal: options.signal, onBytes: options.onBytes };
    const list = (await sendForObject(this.#context, call)) as ObjectList<T>;
    const { metadata, items } = list as Partial<ObjectList<T>>;
    if (!metadata) throw badResponse(call, 'with an object that is not a list');
    // Go writes an empty list as null.
    if (!items) return { ...list, items: [] };
    this.#nameKinds(items, list.apiVersion);
    return list;
  }

  async *#pagesAfter(first: ObjectList<T>, options: ListOptions): AsyncGenerator<ObjectList<T>, void, undefined> {
    // The continue token contains the resourceVersion; the server refuses a request with both.
    const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = options;
    for (let token = first.metadata.continue; token; ) {
      const page: ObjectList<T> = await this.#page({ ...rest, continue: token });
      if (page.metadata.continue === token) {
        throw badResponse({ method: 'GET', path: resourcePath(this.resource, options) }, 'with the same page again');
      }
      token = page.metadata.continue;
      yield page;
    }
  }

  /**
   * The server omits `apiVersion` and `kind` in list items of built-in kinds. They are added here, so that an object
   * from a list equals the same object from a watch. The items may be changed: they were just parsed and are not shared
   * yet.
   */
  #nameKinds(items: readonly T[], apiVersion = apiVersionOf(this.resource)): void {
    for (const item of items as readonly { apiVersion?: string; kind?: string }[]) {
      item.apiVersion ??= apiVersion;
      item.kind ??= this.resource.kind;
    }
  }

  #complete(object: T): T {
    return { apiVersion: apiVersionOf(this.resource), kind: this.resource.kind, ...object };
  }
}
