// SPDX-License-Identifier: Apache-2.0
import { ApiError, type StatusCause } from '../server/api-error.ts';
import { type FieldSet, pathText } from './field-set.ts';
import type { Manager } from './managed-fields.ts';

/** Fields that another manager owns and an apply would change. */
export interface Conflict {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

/** 409: an apply without `force` would change fields of other managers. */
export class ConflictError extends ApiError {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    const found = conflicts
      .flatMap(({ manager, fields }) =>
        fields.paths().map((path) => ({ manager: show(manager), field: pathText(path) })),
      )
      .sort((a, b) => (a.manager === b.manager ? 0 : a.manager < b.manager ? -1 : 1));
    const causes: StatusCause[] = found.map(({ manager, field }) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${manager}`,
      field,
    }));
    super(409, 'Conflict', describe(found), { causes });
    this.name = 'ConflictError';
    this.conflicts = conflicts;
  }
}

function describe(found: readonly { readonly manager: string; readonly field: string }[]): string {
  const [first] = found;
  if (found.length === 1 && first)
    return `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.field}`;
  const managers = [...new Set(found.map(({ manager }) => manager))];
  const lines = managers.flatMap((manager) => [
    `conflicts with ${manager}:`,
    ...found.filter((one) => one.manager === manager).map(({ field }) => `- ${field}`),
  ]);
  return `Apply failed with ${found.length} conflicts: ${lines.join('\n')}`;
}

function show({ name, subresource, operation, apiVersion }: Manager): string {
  const door = subresource ? ` with subresource ${JSON.stringify(subresource)}` : '';
  return `${JSON.stringify(name)}${door}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
