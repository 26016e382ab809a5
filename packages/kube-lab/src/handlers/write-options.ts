// SPDX-License-Identifier: Apache-2.0
import type { Call } from '../server/core.ts';
import { type FieldError, invalidObject, notSupported, tooLong } from '../validation/field-error.ts';

const optionKinds: Readonly<Record<string, string>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
  delete: 'DeleteOptions',
  deletecollection: 'DeleteOptions',
};

/** Refuses options of a write that the real server refuses. */
export function checkWriteOptions({ query, info }: Pick<Call, 'query' | 'info'>): void {
  const kind = optionKinds[info.verb];
  if (kind === undefined) return;
  const errors: FieldError[] = [];
  const manager = query.get('fieldManager') ?? '';
  if (manager.length > 128) errors.push(tooLong('fieldManager', 128));
  const dryRun = query.getAll('dryRun');
  if (dryRun.some((value) => value !== 'All')) errors.push(notSupported('dryRun', dryRun, ['All']));
  const validation = query.get('fieldValidation') ?? '';
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(validation)) {
    errors.push(notSupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind }, '', errors);
}

/** True if the client asked for `dryRun=All`. */
export function isDryRun({ query }: Pick<Call, 'query'>): boolean {
  return query.getAll('dryRun').includes('All');
}
