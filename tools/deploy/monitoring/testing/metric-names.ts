// SPDX-License-Identifier: Apache-2.0

/** Words of PromQL that are not metrics. */
const words = new Set(['bool', 'by', 'and', 'or', 'unless', 'on', 'ignoring', 'without']);

/** The names of all metrics in an expression; a histogram by its own name. */
export function metricNames(expression: string): readonly string[] {
  const bare = expression
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|on) \([^)]*\)/g, '');
  const names = bare.match(/[a-z_:][a-z0-9_:]*(?!\w|\s*\()/gi) ?? [];
  return [...new Set(names.filter((name) => !words.has(name)).map((name) => name.replace(/_bucket$/, '')))];
}
