// SPDX-License-Identifier: Apache-2.0
import type { Problem } from '../declaration-error.ts';
import type { StructuralSchema } from '../structural-schema.ts';
import { checkBounds } from './check-bounds.ts';
import { checkList } from './check-list.ts';
import { checkPattern } from './check-pattern.ts';
import { checkRules } from './check-rules.ts';
import { mismatches } from './mismatches.ts';

/** The position of a node. */
export interface Place {
  readonly path: string;
  /**
   * False below the items of a list without keys: there the server cannot match old and new values, so it refuses rules
   * that compare them.
   */
  readonly correlatable: boolean;
}

/** The errors in this node and below it: what the API server would refuse, and what no value could satisfy. */
export function checkSchema(schema: StructuralSchema, place: Place): readonly Problem[] {
  const own = [
    ...checkBounds(schema),
    ...checkPattern(schema),
    ...checkEnum(schema),
    ...checkList(schema),
    ...checkDefault(schema),
    ...checkRules(schema, place.correlatable),
  ].map((message) => ({ path: place.path, message }));
  return [...own, ...childrenOf(schema, place).flatMap(([child, at]) => checkSchema(child, at))];
}

function childrenOf(schema: StructuralSchema, place: Place): readonly (readonly [StructuralSchema, Place])[] {
  const { path, correlatable } = place;
  const children: (readonly [StructuralSchema, Place])[] = [];
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    children.push([field, { path: path === '' ? name : `${path}.${name}`, correlatable }]);
  }
  if (schema.additionalProperties) children.push([schema.additionalProperties, { path: `${path}[*]`, correlatable }]);
  if (schema.items) {
    const isKeyed = schema['x-kubernetes-list-type'] === 'map';
    children.push([schema.items, { path: `${path}[]`, correlatable: correlatable && isKeyed }]);
  }
  return children;
}

function checkEnum({ enum: values }: StructuralSchema): readonly string[] {
  if (values === undefined) return [];
  if (values.length === 0) return ['an enumeration needs at least one value'];
  const twice = values.filter((value, index) => values.indexOf(value) !== index);
  return twice.map((value) => `the value "${value}" is listed twice`);
}

function checkDefault(schema: StructuralSchema): readonly string[] {
  if (!('default' in schema)) return [];
  return mismatches(schema, schema.default).map(({ path, message }) => {
    const where = path === '' ? 'the default' : `the default's ${path}`;
    return `${where} ${message}`;
  });
}
