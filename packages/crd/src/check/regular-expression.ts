// SPDX-License-Identifier: Apache-2.0

/**
 * The JavaScript expression for one in RE2, the syntax of the API server. They differ in flags at the start and the
 * names of groups. Throws a SyntaxError for an invalid expression.
 */
export function compileRe2(pattern: string): RegExp {
  const [, flags = '', rest = pattern] = /^\(\?([ims]+)\)(.*)$/s.exec(pattern) ?? [];
  const source = rest.replaceAll('(?P<', '(?<');
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    // RE2 allows escaping any punctuation; JavaScript does only without the flag u.
    return new RegExp(source, flags);
  }
}
