// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from '../structural-schema.ts';
import { compileRe2 } from './regular-expression.ts';

/** Syntax of JavaScript's regular expressions that RE2 lacks. The API server checks patterns with RE2. */
const notInRe2: readonly (readonly [RegExp, string])[] = [
  [/\(\?<?[=!]/, 'look-ahead or look-behind'],
  [/\\[1-9]|\\k</, 'back references'],
  [/\\u/, 'escapes with \\u'],
];

/** A pattern must be a valid expression for the API server. */
export function checkPattern({ pattern }: StructuralSchema): readonly string[] {
  if (pattern === undefined) return [];
  // An escaped backslash is not the start of another escape.
  const bare = pattern.replaceAll('\\\\', '');
  const foreign = notInRe2.filter(([feature]) => feature.test(bare)).map(([, name]) => name);
  if (foreign.length > 0) return [`the pattern ${pattern} uses ${foreign.join(' and ')}, which RE2 does not have`];
  try {
    compileRe2(pattern);
    return [];
  } catch (error) {
    return [`the pattern ${pattern} is not a regular expression: ${error instanceof Error ? error.message : error}`];
  }
}
