// SPDX-License-Identifier: Apache-2.0
import type { Clock, Random } from '@operator-parts/ports';
import type { JsonObject } from '../json/json.ts';
import type { IpFamilies } from '../network/addresses.ts';
import type { Identity } from '../server/identity.ts';
import type { Store } from '../storage/store.ts';
import type { FieldError } from '../validation/field-error.ts';

/** What a strategy may know about the current write. */
export interface WriteContext {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  /** The IP families of the cluster, the primary one first. */
  readonly ipFamilies: IpFamilies;
  readonly identity: Identity;
  /** The stored objects, for kinds that allocate addresses and the like. */
  readonly store: Pick<Store, 'get' | 'list'>;
  /** Adds a `Warning` header to the answer. */
  warn(message: string): void;
}

/**
 * What differs between kinds when they are written. Objects are private copies: `prepare...` modifies them in place.
 */
export interface Strategy {
  /** Sets and resets fields of a new object. */
  prepareForCreate?(object: JsonObject, context: WriteContext): void;
  /** Restores fields that a client must not change; increases `metadata.generation` if the kind has one. */
  prepareForUpdate?(object: JsonObject, old: JsonObject, context: WriteContext): void;
  /** Like `prepareForUpdate`, for a write to `status`: everything except the status comes from `old`. */
  prepareForStatusUpdate?(object: JsonObject, old: JsonObject, context: WriteContext): void;
  validate?(object: JsonObject, context: WriteContext): readonly FieldError[];
  validateUpdate?(object: JsonObject, old: JsonObject, context: WriteContext): readonly FieldError[];
  validateStatusUpdate?(object: JsonObject, old: JsonObject, context: WriteContext): readonly FieldError[];
  /** The errors of a name; by default it must be a DNS subdomain. */
  readonly validateName?: (name: string, prefix: boolean) => readonly string[];
  /** Finalizers without a domain are accepted with a warning. @default false */
  readonly anyFinalizer?: boolean;
  /** The group in errors about invalid objects. @default the group of the resource */
  readonly errorGroup?: string;
  /** The warning for a deletion that orphans dependents by default. */
  readonly orphanWarning?: string;
  /** Like `prepareForUpdate`, for writes to other subresources. By default objects are not changed. */
  prepareForSubresource?(name: string, object: JsonObject, old: JsonObject): void;
  validateSubresource?(name: string, object: JsonObject, old: JsonObject): readonly FieldError[];
  /**
   * Unchanged parts outside of metadata may be shared with the stored object, which is frozen: the strategy does not
   * modify the inside of such parts.
   * @default false
   */
  readonly sharesUnchanged?: boolean;
  /** A warning that is added to every answer. */
  readonly deprecation?: string;
  /** PUT creates an object that does not exist. @default false */
  readonly allowCreateOnUpdate?: boolean;
  /** PUT without a resourceVersion overwrites the object. @default true */
  readonly allowUnconditionalUpdate?: boolean;
  /** The grace period of a deletion, given the client's request. Kinds without it are deleted at once. */
  gracePeriod?(object: JsonObject, requested: number | undefined): number;
  /** The default deletion policy for dependents. @default 'background' */
  readonly defaultPropagation?: 'background' | 'orphan' | 'unsupported';
  /**
   * True while an object that is being deleted must stay for a reason of its kind, besides finalizers and grace period.
   */
  waitsFor?(object: JsonObject): boolean;
  /** A finalizer that is added when the deletion begins, for a controller of the server that must clean up first. */
  readonly cleanupFinalizer?: string;
  /** Modifies an object whose deletion begins, in place. */
  prepareForDelete?(object: JsonObject, context: { readonly clock: Pick<Clock, 'now'> }): void;
  /** DELETE answers with the object instead of a Status. @default false */
  readonly returnsDeleted?: boolean;
}
