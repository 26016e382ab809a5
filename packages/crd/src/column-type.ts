// SPDX-License-Identifier: Apache-2.0
import { fieldAt } from './field-path.ts';
import type { Column, ColumnType } from './kind.ts';
import type { StructuralSchema } from './structural-schema.ts';

/**
 * The type of a column: the declared one, or the type of its field in the schema. Undefined for lists, objects and
 * unknown types.
 */
export function columnType(schema: StructuralSchema, column: Column): ColumnType | undefined {
  if (column.type) return column.type;
  if (column.path.startsWith('.metadata.')) return column.path.endsWith('Timestamp') ? 'date' : 'string';
  const field = fieldAt(schema, column.path);
  if (field?.['x-kubernetes-int-or-string']) return 'string';
  switch (field?.type) {
    case 'string':
      return field.format === 'date-time' ? 'date' : 'string';
    case 'integer':
    case 'number':
    case 'boolean':
      return field.type;
    default:
      return undefined;
  }
}
