// SPDX-License-Identifier: Apache-2.0
import { countOf, estimateCost, ruleBudget, schemaBudget } from '../cel/cost.ts';
import { type FieldError, forbiddenField } from '../validation/field-error.ts';
import { ruleEnvironment } from './rules.ts';
import type { SchemaNode } from './schema/schema-node.ts';

const advice =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

interface RuleCost {
  readonly field: string;
  readonly cost: number;
}

/** The errors for rules that may be too expensive with the largest objects that the schema allows. */
export function validateCosts(root: SchemaNode, field: string): readonly FieldError[] {
  const costs: RuleCost[] = [];
  collect(root, field, 1, costs);
  const total = costs.reduce((sum, { cost }) => sum + cost, 0);
  const errors: FieldError[] = [];
  for (const { field: place, cost } of costs) {
    if (cost > ruleBudget)
      errors.push(
        forbiddenField(place, `estimated rule cost exceeds budget by ${factor(cost / ruleBudget)} ${advice}`),
      );
  }
  if (total <= schemaBudget) return errors;
  const largest = costs
    .filter(({ cost }) => cost > schemaBudget / 100)
    .sort((a, b) => b.cost - a.cost)
    .slice(0, 4);
  for (const { field: place } of largest) {
    errors.push(
      forbiddenField(
        place,
        'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      ),
    );
  }
  const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget';
  return [...errors, forbiddenField(field, `${what} by ${factor(total / schemaBudget)} ${advice}`)];
}

function collect(node: SchemaNode, field: string, times: number, costs: RuleCost[]): void {
  for (const [index, { rule, optionalOldSelf }] of node.rules.entries()) {
    const cost = estimateCost(ruleEnvironment(optionalOldSelf), rule, node) * times;
    costs.push({ field: `${field}.x-kubernetes-validations[${index}].rule`, cost });
  }
  for (const [name, below] of node.properties) collect(below, `${field}.properties[${name}]`, times, costs);
  const count = countOf(node);
  if (node.items) collect(node.items, `${field}.items`, times * count, costs);
  if (node.additional && node.additional !== true)
    collect(node.additional, `${field}.additionalProperties`, times * count, costs);
}

function factor(times: number): string {
  if (times > 100) return 'factor of more than 100x';
  return `factor of ${times.toFixed(1)}x`;
}
