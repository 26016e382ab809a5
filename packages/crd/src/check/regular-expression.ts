// SPDX-License-Identifier: Apache-2.0

/**
 * The JavaScript expression that stands in for one in RE2, which is what the API server runs. The two agree but for spelling: flags at the
 * start, and the names of groups. Throws a SyntaxError for what is neither.
 */
export function compileRe2(pattern: string): RegExp {
  const [, flags = '', rest = pattern] = /^\(\?([ims]+)\)(.*)$/s.exec(pattern) ?? [];
  const source = rest.replaceAll('(?P<', '(?<');
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    // RE2 lets any punctuation be escaped; JavaScript does only without the flag u.
    return new RegExp(source, flags);
  }
}
