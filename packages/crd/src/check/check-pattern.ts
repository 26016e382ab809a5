// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from '../structural-schema.ts';
import { compileRe2 } from './regular-expression.ts';

/** What JavaScript's expressions have and RE2, with which the server checks patterns, has not. */
const notInRe2: readonly (readonly [RegExp, string])[] = [
  [/\(\?<?[=!]/, 'look-ahead or look-behind'],
  [/\\[1-9]|\\k</, 'back references'],
  [/\\u/, 'escapes with \\u'],
];

/** A pattern must be an expression that the API server can compile. */
export function checkPattern({ pattern }: StructuralSchema): readonly string[] {
  if (pattern === undefined) return [];
  // An escaped backslash starts nothing.
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
