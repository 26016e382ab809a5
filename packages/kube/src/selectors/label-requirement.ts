// SPDX-License-Identifier: Apache-2.0
import type { LabelSelector } from '../generated/meta-v1.ts';
import { own } from '../json/json-value.ts';
import { ParseError } from '../values/parse-error.ts';

export type LabelOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';

/** One condition on labels. A selector is a list of them, all of which must hold; an empty list holds for everything. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;

/** True if all requirements hold. An absent label satisfies `NotIn` and `DoesNotExist`. */
export function matchesLabels(requirements: readonly LabelRequirement[], labels: Labels = {}): boolean {
  return requirements.every((requirement) => meets(requirement, own(labels, requirement.key)));
}

function meets({ operator, values }: LabelRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt':
      return value !== undefined && isInteger(value) && compare(operator, BigInt(value), BigInt(values[0] ?? 0));
  }
}

function compare(operator: 'Gt' | 'Lt', value: bigint, limit: bigint): boolean {
  return operator === 'Gt' ? value > limit : value < limit;
}

/**
 * The requirements of a `LabelSelector` object. An empty selector selects everything; the caller decides what an absent
 * selector means.
 */
export function labelRequirements(selector: LabelSelector): readonly LabelRequirement[] {
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => requirement(key, 'In', [value]));
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values }) => {
    if (!isSetOperator(operator)) invalid(`${JSON.stringify(operator)} is not an operator of label selectors`);
    return requirement(key, operator, values ?? []);
  });
  return [...labels, ...expressions];
}

/** True if an object with these labels is selected. An absent selector selects nothing. */
export function matchesLabelSelector(selector: LabelSelector | null | undefined, labels?: Labels): boolean {
  return selector ? matchesLabels(labelRequirements(selector), labels) : false;
}

function isSetOperator(operator: string): operator is LabelOperator {
  return ['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator);
}

/** A validated requirement. Keys and values must be valid for labels. */
export function requirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  if (!isLabelKey(key)) invalid(`${JSON.stringify(key)} is not a valid label key`);
  for (const value of values) if (!isLabelValue(value)) invalid(`${JSON.stringify(value)} is not a valid label value`);
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) invalid(`the operator ${operator} on ${key} needs values`);
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) invalid(`the operator ${operator} on ${key} takes no values`);
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1 || !isInteger(values[0] ?? ''))
        invalid(`the operator ${operator} on ${key} needs one integer`);
      break;
  }
  return { key, operator, values };
}

function invalid(message: string): never {
  throw new ParseError('LabelSelector', message);
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const name = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** True for a valid label key: `app` and `example.com/app`. */
export function isLabelKey(text: string): boolean {
  const slash = text.indexOf('/');
  const prefix = text.slice(0, slash);
  if (slash >= 0 && !(prefix.length <= 253 && subdomain.test(prefix))) return false;
  const last = text.slice(slash + 1);
  return last.length <= 63 && name.test(last);
}

/** True for a valid label value: empty, or up to 63 letters, digits, `-`, `_` and `.`. */
export function isLabelValue(text: string): boolean {
  return text === '' || (text.length <= 63 && name.test(text));
}

/** An int64 in Go's syntax. */
function isInteger(text: string): boolean {
  return (
    /^[+-]?\d{1,25}$/.test(text) && BigInt.asIntN(64, BigInt(text.replace('+', ''))) === BigInt(text.replace('+', ''))
  );
}
