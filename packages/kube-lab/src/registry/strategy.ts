// SPDX-License-Identifier: Apache-2.0
import type { Clock, Random } from '@etcd-operator/ports';
import type { JsonObject } from '../json/json.ts';
import type { IpFamilies } from '../network/addresses.ts';
import type { Identity } from '../server/identity.ts';
import type { Store } from '../storage/store.ts';
import type { FieldError } from '../validation/field-error.ts';

/** What a strategy may know about the write it takes part in. */
export interface WriteContext {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  /** Of the cluster, the primary one first. */
  readonly ipFamilies: IpFamilies;
  readonly identity: Identity;
  /** What is stored now, for kinds that give out addresses and the like. */
  readonly store: Pick<Store, 'get' | 'list'>;
  /** Adds a `Warning` header to the answer. */
  warn(message: string): void;
}

/** What makes the kinds differ when they are written. Objects are private copies: `prepare...` changes them in place. */
export interface Strategy {
  /** Fills and resets fields of a new object. */
  prepareForCreate?(object: JsonObject, context: WriteContext): void;
  /** Keeps what a client must not change; raises `metadata.generation` where the kind has one. */
  prepareForUpdate?(object: JsonObject, old: JsonObject, context: WriteContext): void;
  /** As `prepareForUpdate`, for a write through `status`: everything but the status comes from `old`. */
  prepareForStatusUpdate?(object: JsonObject, old: JsonObject, context: WriteContext): void;
  validate?(object: JsonObject, context: WriteContext): readonly FieldError[];
  validateUpdate?(object: JsonObject, old: JsonObject, context: WriteContext): readonly FieldError[];
  validateStatusUpdate?(object: JsonObject, old: JsonObject, context: WriteContext): readonly FieldError[];
  /** What is wrong with a name; the default is a DNS subdomain. */
  readonly validateName?: (name: string, prefix: boolean) => readonly string[];
  /** Finalizers need no domain; those without one only get a warning. @default false */
  readonly anyFinalizer?: boolean;
  /** The group that refusals of invalid objects name. @default the resource's own */
  readonly errorGroup?: string;
  /** A warning that comes with a deletion that leaves dependents behind without being asked to. */
  readonly orphanWarning?: string;
  /** As `prepareForUpdate`, for other subresources that are written. Objects go through as they are by default. */
  prepareForSubresource?(name: string, object: JsonObject, old: JsonObject): void;
  validateSubresource?(name: string, object: JsonObject, old: JsonObject): readonly FieldError[];
  /**
   * What a write leaves as it was, outside of metadata, may be the stored object's own, which is frozen: nothing here changes the
   * inside of such parts. @default false
   */
  readonly sharesUnchanged?: boolean;
  /** A warning that comes with every answer. */
  readonly deprecation?: string;
  /** PUT to a name that does not exist creates it. @default false */
  readonly allowCreateOnUpdate?: boolean;
  /** PUT without a resourceVersion overwrites. @default true */
  readonly allowUnconditionalUpdate?: boolean;
  /**
   * How long a deletion waits, given what the client asked for. Only kinds that stop gracefully have it: objects of others go
   * at once.
   */
  gracePeriod?(object: JsonObject, requested: number | undefined): number;
  /** How dependents of a deleted object fare when the client does not say. @default 'background' */
  readonly defaultPropagation?: 'background' | 'orphan' | 'unsupported';
  /** True while an object that is being deleted must stay for a reason of its own, besides finalizers and grace. */
  waitsFor?(object: JsonObject): boolean;
  /** Put on an object when its deletion begins, for a controller of the server that has to clean up first. */
  readonly cleanupFinalizer?: string;
  /** Changes an object whose deletion begins, in place. */
  prepareForDelete?(object: JsonObject, context: { readonly clock: Pick<Clock, 'now'> }): void;
  /** DELETE answers with the object instead of a Status. @default false */
  readonly returnsDeleted?: boolean;
}
