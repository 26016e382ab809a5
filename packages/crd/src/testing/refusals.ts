// SPDX-License-Identifier: Apache-2.0
import {
  anything,
  cel,
  defineKind,
  enumeration,
  int32,
  type Kind,
  type KindFacts,
  list,
  map,
  nullable,
  object,
  optional,
  quantity,
  type Schema,
  string,
} from '../index.ts';
import type { StructuralSchema } from '../structural-schema.ts';

/** An invalid kind, and why. `kind` is its declaration, to ask a real server for its answer. */
export interface Refusal {
  readonly what: string;
  /** Path and message of the reported problem. */
  readonly path: string;
  readonly message: RegExp;
  /** False if the server would accept the kind: the mistake has no effect, or no object can be valid. */
  readonly refusedByServer: boolean;
  readonly declare: () => Kind;
  readonly kind: Kind;
}

const facts: KindFacts = { group: 'example.com', version: 'v1', kind: 'Bad', plural: 'bads', scope: 'Namespaced' };

interface Row {
  readonly path: string;
  readonly message: RegExp;
  readonly field?: Schema;
  readonly fields?: Readonly<Record<string, Schema>>;
  readonly facts?: Partial<KindFacts>;
  readonly onlyHere?: true;
}

function refusal(what: string, row: Row): Refusal {
  const spec = object(row.fields ?? { field: row.field ?? optional(string()) });
  const all = { ...facts, ...row.facts };
  const { group, version, kind, plural } = all;
  const schema: StructuralSchema = {
    type: 'object',
    properties: { spec: spec.structural },
    ...(all.rules && { 'x-kubernetes-validations': all.rules }),
  };
  return {
    what,
    path: row.path,
    message: row.message,
    refusedByServer: !row.onlyHere,
    declare: () => defineKind({ ...all, spec }),
    kind: { ...all, schema, hasStatus: false, resource: { group, version, kind, plural, namespaced: true } },
  };
}

const item = object({ name: optional(string()), value: string() });
/** Builds a keyed list that the types of this package refuse. A program without types could build it. */
const keyed = (items: Schema, keys: readonly string[]): Schema => {
  const structural: StructuralSchema = { ...list(items).structural, 'x-kubernetes-list-type': 'map' };
  return { presence: 'required', structural: { ...structural, 'x-kubernetes-list-map-keys': keys } };
};
const setOf = (items: Schema): Schema => ({
  presence: 'required',
  structural: { ...list(items).structural, 'x-kubernetes-list-type': 'set' },
});
const path = 'spec.field';

/** All reasons for which a declaration is refused. */
export const refusals: readonly Refusal[] = [
  refusal('a default of another type', {
    path,
    message: /the default must be a string/,
    field: withDefault(string(), 1),
  }),
  refusal('a default that breaks the pattern', {
    path,
    message: /must match/,
    field: string({ pattern: '^a$', default: 'b' }),
  }),
  refusal('a default out of range', { path, message: /at least 1/, field: int32({ minimum: 1, default: 0 }) }),
  refusal('a default with an unknown field', {
    path,
    message: /the default's b is not a field/,
    field: withDefault(object({ a: optional(string()) }), { b: 1 }),
  }),
  refusal('a default without a required field', {
    path,
    message: /the default's a is required/,
    field: withDefault(object({ a: string() }), {}),
  }),
  refusal('a default that is not a quantity', { path, message: /must match/, field: quantity({ default: '1 GB' }) }),
  refusal('a null default that is not nullable', {
    path,
    message: /must not be null/,
    field: withDefault(string(), null),
    onlyHere: true,
  }),
  refusal('a default outside of the enumeration', {
    path,
    message: /one of A, B/,
    field: withDefault(enumeration(['A', 'B']), 'C'),
  }),
  refusal('an enumeration that repeats a value', {
    path,
    message: /listed twice/,
    field: enumeration(['A', 'A']),
    onlyHere: true,
  }),
  refusal('a pattern that is no expression', {
    path,
    message: /not a regular expression/,
    field: string({ pattern: '(' }),
  }),
  refusal('a pattern with look-ahead', { path, message: /look-ahead/, field: string({ pattern: '(?!a)b' }) }),
  refusal('a pattern with a back reference', { path, message: /back ref/, field: string({ pattern: '(a)\\1' }) }),
  refusal('a list key that is no field', { path, message: /key x is not a field/, field: keyed(item, ['x']) }),
  refusal('a list key that may be absent', {
    path,
    message: /required or have a default/,
    field: keyed(item, ['name']),
  }),
  refusal('a list key that is an object', {
    path,
    message: /must be a string, a number or a boolean/,
    field: keyed(object({ name: object({}) }), ['name']),
  }),
  refusal('a keyed list without keys', { path, message: /at least one key/, field: keyed(item, []) }),
  refusal('a list key given twice', { path, message: /listed twice/, field: keyed(item, ['value', 'value']) }),
  refusal('a keyed list of strings', { path, message: /must be objects/, field: keyed(string(), ['a']) }),
  refusal('a keyed list of nullable items', { path, message: /nullable/, field: keyed(nullable(item), ['value']) }),
  refusal('a set of objects', { path, message: /items of a set must be/, field: setOf(item) }),
  refusal('a set of nullable strings', { path, message: /nullable/, field: setOf(nullable(string())) }),
  refusal('a rule on a value of any type', {
    path,
    message: /needs a value with a type/,
    field: withRule(anything(), cel('true', 'a')),
  }),
  refusal('an empty rule', { path, message: /a rule is empty/, field: string({ rules: [cel(' ', 'a')] }) }),
  refusal('a message of two lines', { path, message: /one line/, field: string({ rules: [cel('true', 'a\nb')] }) }),
  refusal('a message that is blank', { path, message: /empty message/, field: string({ rules: [cel('true', ' ')] }) }),
  refusal('a fieldPath that leads nowhere', {
    path,
    message: /fieldPath .b of the rule/,
    field: object({ a: optional(string()) }, { rules: [cel('true', 'a', { fieldPath: '.b' })] }),
  }),
  refusal('a fieldPath that does not start with a dot', {
    path,
    message: /fieldPath a/,
    field: object({ a: optional(string()) }, { rules: [cel('true', 'a', { fieldPath: 'a' })] }),
  }),
  refusal('optionalOldSelf without oldSelf', {
    path,
    message: /does not mention oldSelf/,
    field: string({ rules: [cel('true', 'a', { optionalOldSelf: true })] }),
  }),
  refusal('oldSelf inside a list without keys', {
    path: 'spec.field[]',
    message: /list without keys/,
    field: list(string({ maxLength: 5, rules: [cel('self == oldSelf', 'a')] }), { maxItems: 5 }),
  }),
  refusal('oldSelf deep inside a list without keys', {
    path: 'spec.field[].a[*]',
    message: /list without keys/,
    field: list(
      object({ a: map(string({ maxLength: 5, rules: [cel('self == oldSelf', 'a')] }), { maxProperties: 5 }) }),
      {
        maxItems: 5,
      },
    ),
  }),
  refusal('a group without a dot', { path: 'group', message: /at least one dot/, facts: { group: 'example' } }),
  refusal("a group of Kubernetes' own", { path: 'group', message: /reserved/, facts: { group: 'etcd.k8s.io' } }),
  refusal("a group of Kubernetes' own that nobody approved", {
    path: 'group',
    message: /api-approved/,
    facts: { group: 'etcd.k8s.io', annotations: { 'api-approved.kubernetes.io': 'maybe' } },
  }),
  refusal('a plural with capitals', { path: 'plural', message: /lower case/, facts: { plural: 'Bads' } }),
  refusal('a version with capitals', { path: 'version', message: /lower case/, facts: { version: 'V1' } }),
  refusal('a short name with a dot', { path: 'shortNames', message: /lower case/, facts: { shortNames: ['a.b'] } }),
  refusal('a category with a space', { path: 'categories', message: /lower case/, facts: { categories: ['a b'] } }),
  refusal('a column without a name', {
    path: 'columns[0]',
    message: /needs a name/,
    facts: { columns: [{ name: '', path: '.spec.field' }] },
  }),
  refusal('a column path without a dot', {
    path: 'columns[0]',
    message: /is not a field/,
    facts: { columns: [{ name: 'A', path: 'spec.field' }] },
  }),
  refusal('a column of a field that is not there', {
    path: 'columns[0]',
    message: /is not a field/,
    facts: { columns: [{ name: 'A', path: '.spec.other' }] },
    onlyHere: true,
  }),
  refusal('a column of an object', {
    path: 'columns[0]',
    message: /is not clear from the schema/,
    facts: { columns: [{ name: 'A', path: '.spec' }] },
    onlyHere: true,
  }),
  refusal('two columns of one name', {
    path: 'columns',
    message: /two columns/,
    facts: {
      columns: [
        { name: 'A', path: '.spec.field' },
        { name: 'A', path: '.spec.field' },
      ],
    },
    onlyHere: true,
  }),
  refusal('replicas outside of spec', {
    path: 'scale.specReplicasPath',
    message: /below .spec./,
    facts: { scale: { specReplicasPath: '.status.size', statusReplicasPath: '.status.size' } },
  }),
  refusal('a selectable field that is not there', {
    path: 'selectableFields',
    message: /outside of lists/,
    facts: { selectableFields: ['.spec.other'] },
  }),
  refusal('a minimum above the maximum', {
    path,
    message: /no value/,
    field: int32({ minimum: 2, maximum: 1 }),
    onlyHere: true,
  }),
  refusal('a negative length', { path, message: /at least 0/, field: string({ minLength: -1 }), onlyHere: true }),
  refusal('a bound that is not whole', {
    path,
    message: /whole number/,
    field: int32({ minimum: 0.5 }),
    onlyHere: true,
  }),
  refusal('a bound beyond 32 bits', { path, message: /32 bits/, field: int32({ maximum: 2 ** 40 }), onlyHere: true }),
  refusal('an enumeration of nothing', { path, message: /at least one value/, field: enumeration([]), onlyHere: true }),
];

function withDefault(schema: Schema, value: unknown): Schema {
  return { presence: 'optional', structural: { ...schema.structural, default: value } };
}

function withRule(schema: Schema, rule: ReturnType<typeof cel>): Schema {
  return { ...schema, structural: { ...schema.structural, 'x-kubernetes-validations': [rule] } };
}
