// SPDX-License-Identifier: Apache-2.0
import type { LabelOperator, LabelRequirement } from '@operator-parts/kube';
import { badRequest } from '../server/api-error.ts';
import { labelValueErrors, qualifiedNameErrors } from '../validation/names.ts';

/**
 * Parses `app=etcd,tier in (a,b),!canary`. Throws a 400 with the real server's message, which is why this is not the
 * parser of the client.
 */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  return text === '' ? [] : new Parser(tokensOf(text)).parse();
}

const token = /\s*(?:(==|!=|[()!,=<>])|([^\s()!,=<>]+))/gy;

function tokensOf(text: string): readonly string[] {
  return [...text.trimEnd().matchAll(token)].map(([, symbol, word]) => symbol ?? word ?? '');
}

const symbols = new Set(['==', '!=', '(', ')', '!', ',', '=', '<', '>']);
const operators: Readonly<Record<string, LabelOperator>> = {
  '=': 'In',
  '==': 'In',
  '!=': 'NotIn',
  in: 'In',
  notin: 'NotIn',
  '>': 'Gt',
  '<': 'Lt',
};

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  parse(): readonly LabelRequirement[] {
    const found: LabelRequirement[] = [];
    if (!this.#isWord() && this.#peek() !== '!') {
      throw badRequest(`found '${this.#peek()}', expected: !, identifier, or 'end of string'`);
    }
    for (;;) {
      found.push(this.#requirement());
      const next = this.#take();
      if (next === '') return found;
      if (next !== ',') throw badRequest(`found '${next}', expected: ',' or 'end of string'`);
      if (!this.#isWord() && this.#peek() !== '!') {
        throw badRequest(`found '${this.#peek()}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): LabelRequirement {
    const absent = this.#peek() === '!';
    if (absent) this.#at++;
    if (!this.#isWord()) throw unreadable(`found '${this.#peek()}', expected: identifier`);
    const key = this.#take();
    const [problem] = qualifiedNameErrors(key);
    if (problem) throw unreadable(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problem}`);
    const next = this.#peek();
    if (next === '' || next === ',') return { key, operator: absent ? 'DoesNotExist' : 'Exists', values: [] };
    const operator = operators[next];
    if (!operator) throw unreadable(`found '${next}', expected: in, notin, =, ==, !=, gt, lt`);
    this.#at++;
    const values = next === 'in' || next === 'notin' ? this.#set() : [this.#exact()];
    return checked({ key, operator, values });
  }

  #exact(): string {
    const next = this.#peek();
    if (next === '' || next === ',') return '';
    if (!this.#isWord()) throw unreadable(`found '${next}', expected: identifier`);
    return this.#take();
  }

  #set(): readonly string[] {
    if (this.#peek() !== '(') throw unreadable(`found '${this.#peek()}' expected: '('`);
    this.#at++;
    const values = new Set<string>();
    for (;;) {
      values.add(this.#isWord() ? this.#take() : '');
      const next = this.#peek();
      if (next !== ',' && next !== ')') throw unreadable(`found '${next}', expected: ',' or ')'`);
      this.#at++;
      if (next === ')') return [...values];
    }
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? '';
  }

  #take(): string {
    return this.#tokens[this.#at++] ?? '';
  }

  #isWord(): boolean {
    const next = this.#peek();
    return next !== '' && !symbols.has(next);
  }
}

function checked(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement;
  for (const [index, value] of values.entries()) {
    if ((operator === 'Gt' || operator === 'Lt') && !/^[+-]?\d+$/.test(value)) {
      const why = "for 'Gt', 'Lt' operators, the value must be an integer";
      throw unreadable(`values[${index}]: Invalid value: ${JSON.stringify(value)}: ${why}`);
    }
    const problems = labelValueErrors(value).join('; ');
    if (problems) throw unreadable(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${problems}`);
  }
  return requirement;
}

function unreadable(why: string) {
  return badRequest(`unable to parse requirement: ${why}`);
}
