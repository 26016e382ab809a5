// SPDX-License-Identifier: Apache-2.0
import { isObject, type Json, type JsonObject } from '../../json/json.ts';
import type { SchemaNode } from './schema-node.ts';

const metaFields = new Set(['apiVersion', 'kind', 'metadata']);

/** Removes, in place, fields that the schema does not declare. Returns their paths, sorted. */
export function pruneUnknown(object: JsonObject, root: SchemaNode): readonly string[] {
  const pruner = new Pruner();
  pruner.prune(object, { ...root, embedded: true });
  return pruner.unknown.sort();
}

class Pruner {
  readonly unknown: string[] = [];
  #path = '';

  prune(value: Json | undefined, node: SchemaNode | undefined): void {
    if (Array.isArray(value)) this.#items(value, node);
    else if (isObject(value)) this.#fields(value, node);
  }

  #fields(object: JsonObject, node: SchemaNode | undefined): void {
    const outer = this.#path;
    const keepsUnknown = node?.preserveUnknown || node?.additional === true;
    for (const [key, value] of Object.entries(object)) {
      if (node?.embedded && metaFields.has(key)) continue;
      const below = belowKey(node, key);
      this.#path = outer === '' ? key : `${outer}.${key}`;
      if (below) this.prune(value, below);
      else if (!keepsUnknown) this.#remove(object, key, outer === '');
      this.#path = outer;
    }
  }

  #remove(object: JsonObject, key: string, isTop: boolean): void {
    if (!metaFields.has(key) || !isTop) this.unknown.push(this.#path);
    delete object[key];
  }

  #items(items: readonly Json[], node: SchemaNode | undefined): void {
    const below = node?.items;
    if (node?.preserveUnknown && !below) return;
    const outer = this.#path;
    for (const [index, item] of items.entries()) {
      this.#path = `${outer}[${index}]`;
      this.prune(item, below && node.preserveUnknown ? { ...below, preserveUnknown: true } : below);
    }
    this.#path = outer;
  }
}

function belowKey(node: SchemaNode | undefined, key: string): SchemaNode | undefined {
  return node?.properties.get(key) ?? (node?.additional === true ? undefined : node?.additional);
}
