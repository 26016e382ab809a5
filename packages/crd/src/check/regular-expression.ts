// SPDX-License-Identifier: Apache-2.0

/**
 * Compiles a pattern in RE2, the syntax of the API server, to a JavaScript expression. The two differ in flags at the
 * start and in names of groups. Throws a SyntaxError for an invalid pattern.
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
