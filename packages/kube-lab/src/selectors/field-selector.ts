// SPDX-License-Identifier: Apache-2.0
import { type FieldRequirement, matchesFields, ParseError, parseFieldSelector } from '@operator-parts/kube';
import { getIn, type JsonObject } from '../json/json.ts';
import { badRequest } from '../server/api-error.ts';

/** Parses `metadata.name=x,status.phase!=Running`. Throws a 400 with the real server's message. */
export function readFieldSelector(text: string): readonly FieldRequirement[] {
  try {
    return parseFieldSelector(text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const term = text.split(/(?<!\\),/).find((one) => one !== '' && !one.includes('=')) ?? text;
    throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
  }
}

/** True if the object meets every requirement. A missing field counts as an empty string. */
export function hasFields(requirements: readonly FieldRequirement[], object: JsonObject): boolean {
  return matchesFields(requirements, (field) => fieldText(object, field));
}

function fieldText(object: JsonObject, field: string): string {
  const value = getIn(object, ...field.split('.'));
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
