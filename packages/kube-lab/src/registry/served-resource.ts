// SPDX-License-Identifier: Apache-2.0
import { apiVersionOf } from '@etcd-operator/kube';
import type { FieldSet } from '../apply/field-set.ts';
import type { FieldType } from '../apply/field-type.ts';
import type { ScalePaths } from '../crd/scale.ts';
import type { JsonObject } from '../json/json.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { Codec } from './codec.ts';
import type { Strategy } from './strategy.ts';

/** A subresource that is a view on the stored object: `status`, `scale`, `finalize`, ... */
export interface ServedSubresource {
  readonly name: string;
  readonly verbs: readonly string[];
  readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string };
}

/** Names and abilities of a resource, as discovery shows them. */
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
  /** Where objects of all versions of this resource are stored: `pods` or `deployments.apps`. */
  readonly collection: string;
  /** The version in which objects are stored. @default its own */
  readonly storageVersion?: string;
  readonly codec: Codec;
  /**
   * Brings an object that is about to be stored into every served version, so that nobody who reads or watches has to wait. Throws
   * `ConversionNeeded`. Only kinds with a webhook for it have this.
   */
  convertAll?(object: JsonObject): void;
  readonly strategy: Strategy;
  /** Custom resources keep `kind` and `apiVersion` on the items of a list; built-in ones leave them out. */
  readonly custom: boolean;
  /** Fields a field selector may name besides `metadata.name` and `metadata.namespace`. */
  readonly selectableFields: readonly string[];
  /** The version's entry in its CustomResourceDefinition; undefined for built-in kinds. */
  readonly definition: JsonObject | undefined;
  /** Its definition is being deleted: nothing new is taken. */
  readonly terminating: boolean;
  /** Where the kind keeps what `scale` shows; undefined if it cannot be scaled. */
  readonly scale: ScalePaths | undefined;
  /** How managedFields treat the parts of its objects. */
  readonly fieldType: FieldType;
  /** Fields that a write through the object itself (`''`) or a subresource does not touch. */
  resetFields(subresource: string): FieldSet;
}

/** The key of an object in its collection. */
export function storageKey(resource: Pick<ResourceNames, 'namespaced'>, namespace: string, name: string): string {
  return resource.namespaced ? `${namespace}/${name}` : name;
}

/** The text of an object as it stands in a list. */
export function listItemText(resource: ServedResource, stored: StoredObject): string {
  const text = resource.codec.encode(stored);
  if (resource.custom) return text;
  const head = typeMetaHead(resource);
  return text.startsWith(head) ? `{${text.slice(head.length)}` : text;
}

/** How the text of every object of this version begins; codecs keep `kind` and `apiVersion` first. */
function typeMetaHead(resource: ResourceNames): string {
  return `{"kind":"${resource.kind}","apiVersion":"${apiVersionOf(resource)}",`;
}
