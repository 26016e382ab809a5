// SPDX-License-Identifier: Apache-2.0
import { own } from '../json/json-value.ts';

/** One field. By default, objects are merged and lists are replaced. */
export interface PatchField {
  /** One or more of `merge`, `replace` and `retainKeys`, separated by commas: `x-kubernetes-patch-strategy`. */
  readonly patchStrategy?: string;
  /** The key of the items of a merged list: `x-kubernetes-patch-merge-key`. */
  readonly patchMergeKey?: string;
  /** The fields of the object or of the list's items that need an entry. May be a getter, for recursive types. */
  readonly fields?: PatchSchema;
}

/**
 * The fields of a type that differ from the defaults, or contain such fields. Other fields count as `{}`: a schema
 * needs only the paths to merged lists and to fields with a strategy.
 */
export interface PatchSchema {
  readonly [field: string]: PatchField;
}

/** The patch rules of one field. */
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
