// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, isObject, type Json } from '../json/json.ts';
import type { Call } from '../server/core.ts';
import { type FieldError, invalid, invalidObject, notSupported } from '../validation/field-error.ts';
import { parseJsonText } from './object-body.ts';
import { isDryRun } from './write-options.ts';

/** `DeleteOptions`, from the body or the query. */
export interface DeleteOptions {
  /** Undefined: the object's own value. Negative values mean one second. */
  readonly gracePeriodSeconds: number | undefined;
  /** What happens to dependents; undefined: the default of the kind. */
  readonly propagation: 'Orphan' | 'Background' | 'Foreground' | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly dryRun: boolean;
}

/** Reads the options of a DELETE; the body wins over the query. */
export function readDeleteOptions(call: Call): DeleteOptions {
  const { query, request } = call;
  const parsed = request.body ? parseJsonText(request.body) : undefined;
  const body = isObject(parsed) ? parsed : {};
  const preconditions = asObject(body['preconditions']) ?? {};
  const grace = body['gracePeriodSeconds'] ?? query.get('gracePeriodSeconds') ?? undefined;
  const policy = text(body['propagationPolicy'] ?? query.get('propagationPolicy'));
  const orphan = body['orphanDependents'] ?? query.get('orphanDependents') ?? undefined;
  const errors = validate(policy, orphan);
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  return {
    gracePeriodSeconds: grace === undefined || grace === null ? undefined : positive(Number(grace)),
    propagation: (policy ?? fromOrphan(orphan)) as DeleteOptions['propagation'],
    uid: text(preconditions['uid']),
    resourceVersion: text(preconditions['resourceVersion']),
    dryRun: isDryRun(call) || asArray(body['dryRun']).includes('All'),
  };
}

const policies = ['Foreground', 'Background', 'Orphan'];

function validate(policy: string | undefined, orphan: Json | undefined): readonly FieldError[] {
  if (policy === undefined) return [];
  const field = 'propagationPolicy';
  if (orphan !== undefined && orphan !== null) {
    return [invalid(field, policy, 'orphanDependents and deletionPropagation cannot be both set')];
  }
  return policies.includes(policy) ? [] : [notSupported(field, policy, [...policies, 'nil'])];
}

function positive(seconds: number): number {
  return seconds < 0 ? 1 : seconds;
}

function fromOrphan(orphan: Json | undefined): string | undefined {
  if (orphan === undefined || orphan === null) return undefined;
  return orphan === true || orphan === 'true' ? 'Orphan' : 'Background';
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
