// SPDX-License-Identifier: Apache-2.0
import { patchSchemaOf } from '../patch/built-in-patch-schema.ts';
import type { PatchSchema } from '../patch/patch-schema.ts';

/** The patch schema of a built-in kind. */
export function schemaOf(apiVersion: string, kind: string): PatchSchema {
  const schema = patchSchemaOf(apiVersion, kind);
  if (!schema) throw new Error(`no schema for ${kind}`);
  return schema;
}

/** An object that has only a spec. */
export const spec = (fields: object) => ({ spec: fields });

/** Objects that have only a name: containers, volumes. */
export const named = (...names: readonly string[]) => names.map((name) => ({ name }));
