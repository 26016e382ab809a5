// SPDX-License-Identifier: Apache-2.0
import type { PatchSchema } from '@operator-parts/kube';
import { goPlain } from '../json/go-format.ts';
import { isObject, type Json, type JsonObject } from '../json/json.ts';

const directives = new Set(['replace', 'merge', 'delete']);

/** Why a strategic patch is invalid, with the real server's messages. */
export function strategicProblem(patch: JsonObject, schema: PatchSchema): string | undefined {
  const directive = patch['$patch'];
  if (directive !== undefined && !directives.has(String(directive))) {
    return `unknown patch type: ${String(directive)} in map: ${goPlain(patch)}`;
  }
  for (const [name, value] of Object.entries(patch)) {
    const field = Object.hasOwn(schema, name) ? schema[name] : undefined;
    const problem = fieldProblem(
      value,
      field?.fields ?? {},
      field?.patchStrategy?.includes('merge') ? field.patchMergeKey : undefined,
    );
    if (problem) return problem;
  }
  return undefined;
}

function fieldProblem(value: Json | undefined, schema: PatchSchema, mergeKey: string | undefined): string | undefined {
  if (isObject(value)) return strategicProblem(value, schema);
  if (!Array.isArray(value)) return undefined;
  for (const item of value) {
    if (!isObject(item)) continue;
    const isDirective = item['$patch'] === 'replace';
    if (mergeKey !== undefined && !isDirective && item[mergeKey] === undefined) {
      return `map: ${goPlain(item)} does not contain declared merge key: ${mergeKey}`;
    }
    const problem = strategicProblem(item, schema);
    if (problem) return problem;
  }
  return undefined;
}
