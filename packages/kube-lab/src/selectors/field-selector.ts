// SPDX-License-Identifier: Apache-2.0
import { getIn, type JsonObject } from '../json/json.ts';
import { badRequest } from '../server/api-error.ts';

/** One condition on a field. */
export interface FieldRequirement {
  readonly field: string;
  readonly negated: boolean;
  readonly value: string;
}

/** Reads `metadata.name=x,status.phase!=Running`. Throws a 400 in the real server's words. */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  return splitTerms(text).map((term) => {
    const match = /^([^=!]*)(!=|==|=)(.*)$/s.exec(term);
    if (!match) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field = '', operator = '', value = ''] = match;
    return { field, negated: operator === '!=', value: unescapeValue(value) };
  });
}

function splitTerms(text: string): readonly string[] {
  return text.split(/(?<!\\),/).filter((term) => term !== '');
}

function unescapeValue(value: string): string {
  return value.replace(/\\([\\,=])/g, '$1');
}

/** True if the object meets every requirement. A missing field reads as the empty string. */
export function matchesFields(requirements: readonly FieldRequirement[], object: JsonObject): boolean {
  return requirements.every(({ field, negated, value }) => (fieldText(object, field) === value) !== negated);
}

function fieldText(object: JsonObject, field: string): string {
  const value = getIn(object, ...field.split('.'));
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
