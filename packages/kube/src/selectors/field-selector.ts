// SPDX-License-Identifier: Apache-2.0
import { ParseError } from '../values/parse-error.ts';

/** One condition on a field: `metadata.name=x` or `status.phase!=Running`. */
export interface FieldRequirement {
  readonly field: string;
  readonly negated: boolean;
  readonly value: string;
}

/** Parses a field selector. In values, `\`, `,` and `=` are escaped by a backslash. */
export function parseFieldSelector(text: string): readonly FieldRequirement[] {
  return splitTerms(text)
    .filter((term) => term !== '')
    .map((term) => parseTerm(term, text));
}

function splitTerms(text: string): readonly string[] {
  return text.match(/(?:\\(?:.|$)|[^\\,])+/gsu) ?? [];
}

function parseTerm(term: string, text: string): FieldRequirement {
  const match = /!=|==|=/.exec(term);
  if (!match)
    throw new ParseError(
      'FieldSelector',
      `field selector ${JSON.stringify(text)}: no operator in ${JSON.stringify(term)}`,
    );
  const value = unescapeValue(term.slice(match.index + match[0].length), text);
  return { field: term.slice(0, match.index), negated: match[0] === '!=', value };
}

function unescapeValue(value: string, text: string): string {
  if (!/^(?:[^\\,=]|\\[\\,=])*$/s.test(value)) {
    throw new ParseError(
      'FieldSelector',
      `field selector ${JSON.stringify(text)}: escape \\, comma and = in values with a backslash`,
    );
  }
  return value.replace(/\\(.)/gs, '$1');
}

/** The text form. `parseFieldSelector` parses it to the same requirements. */
export function formatFieldSelector(requirements: readonly FieldRequirement[]): string {
  return requirements
    .map(({ field, negated, value }) => `${field}${negated ? '!=' : '='}${value.replace(/[\\,=]/g, '\\$&')}`)
    .join(',');
}

/** True if all requirements hold. An absent field counts as an empty text. */
export function matchesFields(
  requirements: readonly FieldRequirement[],
  fieldOf: (field: string) => string | undefined,
): boolean {
  return requirements.every(({ field, negated, value }) => ((fieldOf(field) ?? '') === value) !== negated);
}
