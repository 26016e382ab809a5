// SPDX-License-Identifier: Apache-2.0
import { own } from '../json/json-value.ts';

/** One field. Without a strategy, objects are merged and lists are replaced. */
export interface PatchField {
  /** One or more of `merge`, `replace` and `retainKeys`, separated by commas: `x-kubernetes-patch-strategy`. */
  readonly patchStrategy?: string;
  /** The field that tells the items of a merged list apart: `x-kubernetes-patch-merge-key`. */
  readonly patchMergeKey?: string;
  /** The fields of the object, or of the items of the list, as far as they need saying. May be a getter, for recursive types. */
  readonly fields?: PatchSchema;
}

/**
 * The fields of a type that need more than the defaults, or that lead to such fields. Fields left out are as
 * `{}`: a schema needs to name only the paths to lists that merge and to fields with a strategy.
 */
export interface PatchSchema {
  readonly [field: string]: PatchField;
}

/** What a patch needs to know of one field. */
export interface FieldRule {
  readonly merge: boolean;
  readonly replace: boolean;
  readonly retainKeys: boolean;
  readonly mergeKey: string | undefined;
  readonly schema: PatchSchema;
}

const emptySchema: PatchSchema = {};
const defaultRule: FieldRule = {
  merge: false,
  replace: false,
  retainKeys: false,
  mergeKey: undefined,
  schema: emptySchema,
};

/** The rule for one field of a type. */
export function fieldRule(schema: PatchSchema, name: string): FieldRule {
  const field = own(schema, name);
  if (!field) return defaultRule;
  const strategies = field.patchStrategy?.split(',') ?? [];
  return {
    merge: strategies.includes('merge'),
    replace: strategies.includes('replace'),
    retainKeys: strategies.includes('retainKeys'),
    mergeKey: field.patchMergeKey,
    schema: field.fields ?? emptySchema,
  };
}
