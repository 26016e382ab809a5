// SPDX-License-Identifier: Apache-2.0
import type { Refusal } from './answer.ts';

/** The reasons of validation errors without `FieldValue`, and the words with which their messages begin. */
const beginnings = {
  Invalid: 'Invalid value',
  Required: 'Required value',
  Forbidden: 'Forbidden',
  NotSupported: 'Unsupported value',
  TooLong: 'Too long',
  TooMany: 'Too many',
  Duplicate: 'Duplicate value',
  NotFound: 'Not found',
} as const;

/**
 * One validation error as kubectl shows it: the field, a colon and the message, which tells the reason. Or its three parts, where the
 * message does not tell the reason, or is a variable.
 */
export type Cause = string | readonly [field: string, reason: keyof typeof beginnings | 'TypeInvalid', message: string];

function partsOf(cause: Cause): readonly [field: string, reason: string, message: string] {
  if (typeof cause !== 'string') return cause;
  const end = cause.indexOf(': ');
  const [field, message] = [cause.slice(0, end), cause.slice(end + 2)];
  const reason = Object.entries(beginnings).find(([, beginning]) => message.startsWith(beginning))?.[0];
  if (end < 0 || reason === undefined) throw new Error(`no field and reason in: ${cause}`);
  return [field, reason, message];
}

/**
 * The 422 answer of a server for a kind, given as `Deployment.apps` if there is a group. The message contains the
 * causes, in brackets if there are several.
 */
export function invalid(qualifiedKind: string, name: string, ...causes: readonly Cause[]): Refusal {
  const [kind = '', ...group] = qualifiedKind.split('.');
  const parts = causes.map(partsOf);
  const sentences = [...new Set(parts.map(([field, , message]) => `${field}: ${message}`))];
  const what = sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`;
  return {
    code: 422,
    reason: 'Invalid',
    message: `${qualifiedKind} "${name}" is invalid: ${what}`,
    details: {
      ...(name !== '' && { name }),
      ...(group.length > 0 && { group: group.join('.') }),
      kind,
      causes: parts.map(([field, reason, message]) => ({ reason: `FieldValue${reason}`, message, field })),
    },
  };
}
