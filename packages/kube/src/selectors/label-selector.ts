// SPDX-License-Identifier: Apache-2.0
import { ParseError } from '../values/parse-error.ts';
import { type LabelOperator, type LabelRequirement, requirement } from './label-requirement.ts';

/**
 * Parses a label selector: `app=etcd,tier in (a,b),!canary,size>3`. Blanks around symbols are optional. Empty values
 * are legal: `a=` and `a in (,b)` match a label with an empty value.
 */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  const tokens = new Tokens(text);
  const requirements: LabelRequirement[] = [];
  if (tokens.done) return requirements;
  do requirements.push(parseRequirement(tokens));
  while (tokens.skip(','));
  if (!tokens.done) tokens.fail(', or the end');
  return requirements;
}

const operators: Readonly<Record<string, LabelOperator>> = {
  '=': 'In',
  '==': 'In',
  '!=': 'NotIn',
  in: 'In',
  notin: 'NotIn',
  '>': 'Gt',
  '<': 'Lt',
};

function parseRequirement(tokens: Tokens): LabelRequirement {
  const absent = tokens.skip('!');
  const key = tokens.word('the key of a label');
  if (tokens.done || tokens.next === ',') return requirement(key, absent ? 'DoesNotExist' : 'Exists', []);
  const token = tokens.take();
  const operator = Object.hasOwn(operators, token ?? '') ? operators[token ?? ''] : undefined;
  if (absent || !operator) tokens.fail('an operator', token);
  const values = token === 'in' || token === 'notin' ? parseSet(tokens) : [parseValue(tokens)];
  return requirement(key, operator, values);
}

/** The one value after `=`, which may be missing. */
function parseValue(tokens: Tokens): string {
  return tokens.done || tokens.next === ',' ? '' : tokens.word('a value');
}

/** `(a,b)`, where values may be missing. */
function parseSet(tokens: Tokens): readonly string[] {
  if (!tokens.skip('(')) tokens.fail('(');
  const values: string[] = [];
  do values.push(tokens.next === ',' || tokens.next === ')' ? '' : tokens.word('a value'));
  while (tokens.skip(','));
  if (!tokens.skip(')')) tokens.fail(', or )');
  return [...new Set(values)].toSorted();
}

const symbol = /^(?:==|!=|[=!(),<>])$/;

/** A tokenizer for symbols and words of a selector. */
class Tokens {
  readonly #text: string;
  readonly #tokens: readonly string[];
  #position = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = text.match(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g) ?? [];
  }

  get done(): boolean {
    return this.#position >= this.#tokens.length;
  }

  get next(): string | undefined {
    return this.#tokens[this.#position];
  }

  take(): string | undefined {
    return this.#tokens[this.#position++];
  }

  skip(token: string): boolean {
    if (this.next !== token) return false;
    this.#position++;
    return true;
  }

  word(expected: string): string {
    const token = this.take();
    if (token === undefined || symbol.test(token)) this.fail(expected, token);
    return token;
  }

  fail(expected: string, found = this.next): never {
    const what = found === undefined ? 'the end' : JSON.stringify(found);
    throw new ParseError(
      'LabelSelector',
      `label selector ${JSON.stringify(this.#text)}: found ${what}, expected ${expected}`,
    );
  }
}

/** The text form of requirements. `parseLabelSelector` parses it to the same requirements. */
export function formatLabelSelector(requirements: readonly LabelRequirement[]): string {
  return requirements.map(formatRequirement).join(',');
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  const single = values.length === 1;
  switch (operator) {
    case 'In':
      return single ? `${key}=${values[0]}` : `${key} in (${values.join(',')})`;
    case 'NotIn':
      return single ? `${key}!=${values[0]}` : `${key} notin (${values.join(',')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    case 'Gt':
      return `${key}>${values[0]}`;
    case 'Lt':
      return `${key}<${values[0]}`;
  }
}
