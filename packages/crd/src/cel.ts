// SPDX-License-Identifier: Apache-2.0
import { defined } from './scalars.ts';
import type { RuleReason, ValidationRule } from './structural-schema.ts';

export interface CelOptions {
  /** A CEL expression for the message; `message` is used where it fails. `string(self)` of a number is too expensive for the server. */
  readonly messageExpression?: string;
  /** What the API server answers when the rule is broken. @default 'FieldValueInvalid' */
  readonly reason?: RuleReason;
  /** The field to blame, from the node the rule is on: `.size` or `.labels['app']`. @default the node itself */
  readonly fieldPath?: string;
  /** Makes `oldSelf` an optional, so that a rule that compares with it also runs when there is no old value. @default false */
  readonly optionalOldSelf?: boolean;
}

/**
 * A rule that the API server checks on every write of the node it is put on. `self` is the node's value. A rule that mentions
 * `oldSelf` runs only when there was a value before.
 *
 * ```ts
 * int32({ rules: [cel('self % 2 == 1', 'must be odd')] })
 * ```
 */
export function cel(rule: string, message: string, options: CelOptions = {}): ValidationRule {
  const { messageExpression, reason, fieldPath, optionalOldSelf } = options;
  return { rule, message, ...defined({ messageExpression, reason, fieldPath, optionalOldSelf }) };
}
