// SPDX-License-Identifier: Apache-2.0
import type { Refusal } from './answer.ts';

/** One validation error: the field, the reason without `FieldValue`, and the message. */
export type Cause = readonly [
  field: string,
  reason:
    | 'Invalid'
    | 'Required'
    | 'Forbidden'
    | 'NotSupported'
    | 'TooLong'
    | 'TooMany'
    | 'Duplicate'
    | 'TypeInvalid'
    | 'NotFound',
  message: string,
];

/**
 * The 422 answer of a server for a kind, given as `Deployment.apps` if there is a group. The message contains the
 * causes, in brackets if there are several.
 */
export function invalid(qualifiedKind: string, name: string, ...causes: readonly Cause[]): Refusal {
  const [kind = '', ...group] = qualifiedKind.split('.');
  const sentences = [...new Set(causes.map(([field, , message]) => `${field}: ${message}`))];
  const what = sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`;
  return {
    code: 422,
    reason: 'Invalid',
    message: `${qualifiedKind} "${name}" is invalid: ${what}`,
    details: {
      ...(name !== '' && { name }),
      ...(group.length > 0 && { group: group.join('.') }),
      kind,
      causes: causes.map(([field, reason, message]) => ({ reason: `FieldValue${reason}`, message, field })),
    },
  };
}
