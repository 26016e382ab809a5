// SPDX-License-Identifier: Apache-2.0
import { defined } from './scalars.ts';
import type { RuleReason, ValidationRule } from './structural-schema.ts';

export interface CelOptions {
  /**
   * A CEL expression for the message; if it fails, `message` is used. `string(self)` of a number exceeds the cost limit
   * of the API server.
   */
  readonly messageExpression?: string;
  /** The error type when the rule is violated. @default 'FieldValueInvalid' */
  readonly reason?: RuleReason;
  /** The field in the error, relative to the node of the rule: `.size` or `.labels['app']`. @default the node itself */
  readonly fieldPath?: string;
  /** Makes `oldSelf` optional, so that a rule that uses it also runs without an old value. @default false */
  readonly optionalOldSelf?: boolean;
}

/**
 * A validation rule for one node of a schema, which the API server checks on every write. `self` is the node's value. A
 * rule that uses `oldSelf` runs only if there was a value before.
 *
 * ```ts
 * int32({ rules: [cel('self % 2 == 1', 'must be odd')] })
 * ```
 */
export function cel(rule: string, message: string, options: CelOptions = {}): ValidationRule {
  const { messageExpression, reason, fieldPath, optionalOldSelf } = options;
  return { rule, message, ...defined({ messageExpression, reason, fieldPath, optionalOldSelf }) };
}
