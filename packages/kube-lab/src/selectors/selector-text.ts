// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, type JsonObject } from '../json/json.ts';

/** A `LabelSelector`, or a plain map of labels, as query text. */
export function selectorText(selector: JsonObject): string {
  const isStructured = selector['matchLabels'] !== undefined || selector['matchExpressions'] !== undefined;
  const labels = isStructured ? (asObject(selector['matchLabels']) ?? {}) : selector;
  const terms = Object.entries(labels).map(([key, value]) => ({ key, text: `${key}=${String(value)}` }));
  for (const { key, operator, values } of asObjects(selector['matchExpressions'])) {
    terms.push({ key: String(key), text: expressionText(String(key), String(operator), asArray(values).map(String)) });
  }
  return terms
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ text }) => text)
    .join(',');
}

function expressionText(key: string, operator: string, values: readonly string[]): string {
  const listed = [...values].sort().join(',');
  switch (operator) {
    case 'In':
      return `${key} in (${listed})`;
    case 'NotIn':
      return `${key} notin (${listed})`;
    case 'Exists':
      return key;
    default:
      return `!${key}`;
  }
}
