// SPDX-License-Identifier: Apache-2.0

import { columnType } from '../column-type.ts';
import type { Problem } from '../declaration-error.ts';
import { fieldAt, isPlainPath } from '../field-path.ts';
import type { Column, Kind, Scale } from '../kind.ts';
import type { StructuralSchema } from '../structural-schema.ts';
import { checkNames } from './check-names.ts';
import { checkSchema } from './check-schema.ts';

/** The errors for which the API server would refuse a kind. */
export function checkKind(kind: Kind): readonly Problem[] {
  return [
    ...checkNames(kind),
    ...checkParts(kind.schema),
    ...checkSchema(kind.schema, { path: '', correlatable: true }).map(atRoot),
    ...(kind.columns ?? []).flatMap((column, index) => checkColumn(kind.schema, column, `columns[${index}]`)),
    ...checkColumnNames(kind.columns ?? []),
    ...(kind.scale ? checkScale(kind.schema, kind.scale) : []),
    ...checkSelectable(kind.schema, kind.selectableFields ?? []),
  ];
}

function atRoot(problem: Problem): Problem {
  return problem.path === '' ? { ...problem, path: 'rules' } : problem;
}

function checkParts({ properties = {} }: StructuralSchema): readonly Problem[] {
  return ['spec', 'status'].flatMap((path) => {
    const part = properties[path];
    if (!part || (part.type === 'object' && !part.nullable)) return [];
    return [{ path, message: 'must be an object that is not nullable' }];
  });
}

function checkColumn(schema: StructuralSchema, column: Column, path: string): readonly Problem[] {
  if (column.name === '') return [{ path, message: 'a column needs a name' }];
  if (!isMetadata(column.path) && !fieldAt(schema, column.path)) {
    return [{ path, message: `the path ${column.path} is not a field (write it as .status.phase)` }];
  }
  if (columnType(schema, column) === undefined) {
    return [{ path, message: `the type of ${column.path} is not clear from the schema: set type` }];
  }
  return [];
}

function checkColumnNames(columns: readonly Column[]): readonly Problem[] {
  const names = columns.map((column) => column.name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  return twice.map((name) => ({ path: 'columns', message: `there are two columns named ${name}` }));
}

function isMetadata(path: string): boolean {
  return /^\.metadata[.[]/.test(path);
}

function checkScale(schema: StructuralSchema, scale: Scale): readonly Problem[] {
  const expected = [
    ['specReplicasPath', '.spec.', 'integer'],
    ['statusReplicasPath', '.status.', 'integer'],
    ['labelSelectorPath', /^\.(spec|status)\./, 'string'],
  ] as const;
  return expected.flatMap(([name, start, type]) => {
    const path = scale[name];
    if (path === undefined) return [];
    const starts = typeof start === 'string' ? path.startsWith(start) : start.test(path);
    const message = `${path} must be the path of ${type === 'integer' ? 'a whole number' : 'a string'} below ${start}, outside of lists`;
    const fits = starts && isPlainPath(path) && fieldAt(schema, path)?.type === type;
    return fits ? [] : [{ path: `scale.${name}`, message }];
  });
}

function checkSelectable(schema: StructuralSchema, paths: readonly string[]): readonly Problem[] {
  const scalar: readonly unknown[] = ['string', 'integer', 'boolean'];
  const tooMany = paths.length > 8 ? [{ path: 'selectableFields', message: 'at most 8 fields can be selectable' }] : [];
  const wrong = paths.filter(
    (path) => isMetadata(path) || !isPlainPath(path) || !scalar.includes(fieldAt(schema, path)?.type),
  );
  const message = (path: string) =>
    `${path} must be a string, whole number or boolean field outside of lists and metadata`;
  return [...tooMany, ...wrong.map((path) => ({ path: 'selectableFields', message: message(path) }))];
}
