// SPDX-License-Identifier: Apache-2.0
import type { ServedResource } from './served-resource.ts';

/** All resources that the server serves now: built-in kinds, and custom ones as long as their definitions exist. */
export class Registry {
  readonly #byPath = new Map<string, ServedResource>();
  readonly #byKind = new Map<string, ServedResource>();
  readonly #listeners = new Set<() => void>();

  add(resource: ServedResource): void {
    this.#byPath.set(pathKey(resource.group, resource.version, resource.plural), resource);
    this.#byKind.set(pathKey(resource.group, resource.version, resource.kind), resource);
    for (const listener of this.#listeners) listener();
  }

  remove(resource: Pick<ServedResource, 'group' | 'version' | 'plural' | 'kind'>): void {
    this.#byPath.delete(pathKey(resource.group, resource.version, resource.plural));
    this.#byKind.delete(pathKey(resource.group, resource.version, resource.kind));
    for (const listener of this.#listeners) listener();
  }

  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#byPath.get(pathKey(group, version, plural));
  }

  findKind(group: string, version: string, kind: string): ServedResource | undefined {
    return this.#byKind.get(pathKey(group, version, kind));
  }

  /** True if a built-in kind belongs to this group. */
  isBuiltin(group: string): boolean {
    return this.all().some((resource) => resource.group === group && !resource.custom);
  }

  /** All resources, in the order in which they were added. */
  all(): readonly ServedResource[] {
    return [...this.#byPath.values()];
  }

  /** Calls `listener` whenever a resource is added or removed. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function pathKey(group: string, version: string, name: string): string {
  return `${group}/${version}/${name}`;
}
