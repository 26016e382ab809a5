// SPDX-License-Identifier: Apache-2.0
import { goPlain, goTypeName } from '../json/go-format.ts';
import { isObject, type Json, type JsonObject } from '../json/json.ts';
import { type FieldError, invalid } from '../validation/field-error.ts';

/** The paths of a kind's `scale` fields, such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath: string | undefined;
}

const maxReplicas = 2 ** 31 - 1;

/** The validation errors of the counts in `scale`. */
export function validateScale(paths: ScalePaths, object: JsonObject): readonly FieldError[] {
  return [paths.specReplicasPath, paths.statusReplicasPath].flatMap((path) => validateCount(path, object));
}

function validateCount(path: string, object: JsonObject): readonly FieldError[] {
  const found = countAt(object, path);
  if ('problem' in found) return [invalid(path, 0, `${path} accessor error: ${found.problem}`)];
  const { count } = found;
  if (count === undefined) return [];
  if (count < 0) return [invalid(path, count, 'should be a non-negative integer')];
  return count > maxReplicas ? [invalid(path, count, `should be less than or equal to ${maxReplicas}`)] : [];
}

function countAt(
  object: JsonObject,
  path: string,
): { readonly count: number | undefined } | { readonly problem: string } {
  let value: Json | undefined = object;
  for (const key of path.slice(1).split('.')) {
    if (value === undefined || value === null) return { count: undefined };
    if (!isObject(value)) {
      return { problem: `${goPlain(value)} is of the type ${goTypeName(value)}, expected map[string]interface{}` };
    }
    value = value[key];
  }
  if (value === undefined) return { count: undefined };
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    return { problem: `${goPlain(value)} is of the type ${goTypeName(value)}, expected int64` };
  }
  return { count: value };
}
