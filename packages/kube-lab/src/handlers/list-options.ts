// SPDX-License-Identifier: Apache-2.0
import { ApiError, badRequest } from '../server/api-error.ts';
import type { Call } from '../server/core.ts';
import { isTrue } from '../server/request-info.ts';
import { type FieldError, forbiddenField, invalidObject, notSupported } from '../validation/field-error.ts';

/** The options of a list or watch, except its selection. */
export interface ListOptions {
  /** 0 is "any version"; undefined is "the most recent". */
  readonly version: number | undefined;
  readonly match: 'NotOlderThan' | 'Exact' | undefined;
  readonly limit: number;
  readonly continueToken: string | undefined;
  readonly sendInitialEvents: boolean | undefined;
  readonly bookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
}

/** Parses and validates the query of a list or watch, with the real server's messages for invalid combinations. */
export function readListOptions({ query }: Pick<Call, 'query'>, watching: boolean): ListOptions {
  const limit = integer(query.get('limit')) ?? 0;
  const timeoutSeconds = integer(query.get('timeoutSeconds'));
  const errors = validate(query, watching);
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  const initial = query.get('sendInitialEvents');
  return {
    version: watching ? readWatchVersion(query) : readVersion(query),
    match: (query.get('resourceVersionMatch') || undefined) as ListOptions['match'],
    limit: Math.max(0, limit),
    continueToken: query.get('continue') || undefined,
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
    bookmarks: isTrue(query.get('allowWatchBookmarks')),
    timeoutSeconds,
  };
}

/** `resourceVersion` of a query; undefined if there is none. */
export function readVersion(query: URLSearchParams): number | undefined {
  const text = query.get('resourceVersion');
  if (!text) return undefined;
  if (!/^\d+$/.test(text)) {
    const why = `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
    throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: ${why}`);
  }
  return Number(text);
}

/** For a watch, the real server reports the same error as an internal error. */
function readWatchVersion(query: URLSearchParams): number | undefined {
  try {
    return readVersion(query);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(500, '', error.message.replace('invalid resource version: ', ''));
  }
}

function integer(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

function validate(query: URLSearchParams, watching: boolean): readonly FieldError[] {
  const match = query.get('resourceVersionMatch') ?? '';
  const version = query.get('resourceVersion') ?? '';
  const initial = query.get('sendInitialEvents');
  if (watching) return validateWatch(match, initial);
  const field = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (match !== '') {
    if (version === '') errors.push(forbiddenField(field, `${field} is forbidden unless resourceVersion is provided`));
    if (query.get('continue')) errors.push(forbiddenField(field, `${field} is forbidden when continue is provided`));
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported(field, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && version === '0') {
      errors.push(forbiddenField(field, `${field} "exact" is forbidden for resourceVersion "0"`));
    }
  }
  if (initial !== null) errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return errors;
}

function validateWatch(match: string, initial: string | null): readonly FieldError[] {
  const field = 'resourceVersionMatch';
  if (initial === null) {
    if (match === '') return [];
    return [forbiddenField(field, `${field} is forbidden for watch unless sendInitialEvents is provided`)];
  }
  const errors: FieldError[] = [];
  if (match !== 'NotOlderThan') {
    errors.push(forbiddenField(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
    if (match !== '') errors.push(notSupported(field, match, ['NotOlderThan']));
  }
  return errors;
}
