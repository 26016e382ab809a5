// SPDX-License-Identifier: Apache-2.0
import { patchKinds, patchTypes } from '../generated/patch-schemas.ts';
import { own } from '../json/json-value.ts';
import type { PatchField, PatchSchema } from './patch-schema.ts';

const schemas = new Map<string, PatchSchema>();

/**
 * The schema for strategic merge patches of a built-in kind. Undefined for custom resources, which do not support them.
 */
export function patchSchemaOf(apiVersion: string, kind: string): PatchSchema | undefined {
  const type = own(patchKinds, `${apiVersion}/${kind}`);
  return type === undefined ? undefined : schemaOfType(type);
}

function schemaOfType(type: string): PatchSchema {
  const known = schemas.get(type);
  if (known) return known;
  const fields: Record<string, PatchField> = {};
  // Stored before its fields are added, because a type may contain itself.
  schemas.set(type, fields);
  for (const [name, field] of Object.entries(own(patchTypes, type) ?? {})) {
    fields[name] = {
      ...(field.strategy ? { patchStrategy: field.strategy } : {}),
      ...(field.mergeKey ? { patchMergeKey: field.mergeKey } : {}),
      ...(field.type ? { fields: schemaOfType(field.type) } : {}),
    };
  }
  return fields;
}
