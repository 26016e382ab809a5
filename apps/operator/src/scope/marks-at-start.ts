// SPDX-License-Identifier: Apache-2.0
import { isNotOlder, type ReconcileContext } from '@operator-parts/controller-runtime';
import { type KubeObject, keyOf, keyString, type Resource } from '@operator-parts/kube';
import { annotations } from '../api/names.ts';

/**
 * The marks (annotations) with which cluster-wide operators show which objects they manage. They are read from the API server after this
 * operator acquired its Lease, because the cache may be older than the Lease and lack a mark. A cluster-wide operator that marks an object
 * later sees the Lease, and removes its mark again.
 */
export class MarksAtStart {
  readonly #resource: Resource;
  #reading: Promise<ReadonlyMap<string, KubeObject>> | undefined;

  constructor(resource: Resource) {
    this.#resource = resource;
  }

  /**
   * Drops the marks that were read, because the data of the API server was replaced (restored from a backup, lost or swapped): resource
   * versions from before and after cannot be compared.
   */
  forget(): void {
    this.#reading = undefined;
  }

  /**
   * The namespace of the operator that has marked an object; undefined if there is no mark. The object is from the cache. If a newer
   * version was read from the API server, the mark of that version counts.
   */
  async of(object: KubeObject, context: ReconcileContext): Promise<string | undefined> {
    this.#reading ??= this.#read(object, context);
    const marked = await this.#reading.catch((error: unknown) => {
      this.#reading = undefined;
      throw error;
    });
    const read = marked.get(keyString(keyOf(object)));
    return markOf(read && isOlder(object, read) ? read : object);
  }

  async #read(object: KubeObject, { client, signal }: ReconcileContext): Promise<ReadonlyMap<string, KubeObject>> {
    const { namespace = '' } = object.metadata ?? {};
    const marked = new Map<string, KubeObject>();
    for await (const { items } of client.resource(this.#resource).pages({ namespace, signal })) {
      for (const item of items) if (markOf(item) !== undefined) marked.set(keyString(keyOf(item)), item);
    }
    return marked;
  }
}

function markOf({ metadata }: KubeObject): string | undefined {
  return metadata?.annotations?.[annotations.managedBy];
}

function isOlder(object: KubeObject, than: KubeObject): boolean {
  return !isNotOlder(object.metadata?.resourceVersion ?? '', than.metadata?.resourceVersion ?? '');
}
