// SPDX-License-Identifier: Apache-2.0
import { apiVersionOf } from '@operator-parts/kube';
import type { FieldSet } from '../apply/field-set.ts';
import type { FieldType } from '../apply/field-type.ts';
import type { ScalePaths } from '../crd/scale.ts';
import type { JsonObject } from '../json/json.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { Codec } from './codec.ts';
import type { Strategy } from './strategy.ts';

/** A subresource that is a view of the stored object: `status`, `scale`, `finalize`, ... */
export interface ServedSubresource {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string };
}

/** Names and verbs of a resource, for discovery. */
export interface ResourceNames {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly ServedSubresource[];
}

/** One version of one resource, ready to be served. */
export interface ServedResource extends ResourceNames {
  /** The storage of all versions of this resource: `pods` or `deployments.apps`. */
  readonly collection: string;
  /** The version in which objects are stored. @default `version` */
  readonly storageVersion?: string;
  readonly codec: Codec;
  /**
   * Converts an object to every served version before it is stored, so that readers and watches never wait. Throws
   * `ConversionNeeded`. Only kinds with a conversion webhook have this.
   */
  convertAll?(object: JsonObject): void;
  readonly strategy: Strategy;
  /** Items of a list of custom resources contain `kind` and `apiVersion`; those of built-in ones do not. */
  readonly custom: boolean;
  /** Selectable fields besides `metadata.name` and `metadata.namespace`. */
  readonly selectableFields: readonly string[];
  /** The version's entry in its CustomResourceDefinition; undefined for built-in kinds. */
  readonly definition: JsonObject | undefined;
  /** True while its definition is being deleted: no new objects are accepted. */
  readonly terminating: boolean;
  /** The paths of the `scale` fields; undefined if the kind has no `scale`. */
  readonly scale: ScalePaths | undefined;
  /** The managedFields rules of its objects. */
  readonly fieldType: FieldType;
  /** Fields that a write to the object itself (`''`) or a subresource does not change. */
  resetFields(subresource: string): FieldSet;
}

/** The key of an object in its collection. */
export function storageKey(resource: Pick<ResourceNames, 'namespaced'>, namespace: string, name: string): string {
  return resource.namespaced ? `${namespace}/${name}` : name;
}

/** The text of an object as an item of a list. */
export function listItemText(resource: ServedResource, stored: StoredObject): string {
  const text = resource.codec.encode(stored);
  if (resource.custom) return text;
  const head = typeMetaHead(resource);
  return text.startsWith(head) ? `{${text.slice(head.length)}` : text;
}

/** The beginning of the text of every object of this version; codecs write `kind` and `apiVersion` first. */
function typeMetaHead(resource: ResourceNames): string {
  return `{"kind":"${resource.kind}","apiVersion":"${apiVersionOf(resource)}",`;
}
