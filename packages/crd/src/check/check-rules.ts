// SPDX-License-Identifier: Apache-2.0
import { fieldAt } from '../field-path.ts';
import type { StructuralSchema, ValidationRule } from '../structural-schema.ts';

/** Rules that the API server would refuse before it evaluates them. Only the server checks whether a rule compiles. */
export function checkRules(schema: StructuralSchema, correlatable: boolean): readonly string[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return [];
  const hasType = schema.type !== undefined || schema['x-kubernetes-int-or-string'];
  const untyped = hasType ? [] : ['a rule needs a value with a type'];
  return [...untyped, ...rules.flatMap((rule) => checkRule(rule, schema, correlatable))];
}

function checkRule(rule: ValidationRule, schema: StructuralSchema, correlatable: boolean): readonly string[] {
  const name = `the rule "${rule.rule}"`;
  const comparesOld = /\boldSelf\b/.test(rule.rule) || /\boldSelf\b/.test(rule.messageExpression ?? '');
  const problems: string[] = [];
  if (rule.rule.trim() === '') problems.push('a rule is empty');
  if (rule.message.trim() === '') problems.push(`${name} has an empty message`);
  if (/[\r\n]/.test(rule.message)) problems.push(`the message of ${name} must be one line`);
  if (rule.message.length > 2048) problems.push(`the message of ${name} is longer than 2048 characters`);
  if (rule.messageExpression?.trim() === '') problems.push(`${name} has an empty messageExpression`);
  if (comparesOld && !correlatable) {
    problems.push(
      `${name} compares with oldSelf inside a list without keys, where old and new items cannot be matched`,
    );
  }
  if (rule.optionalOldSelf !== undefined && !comparesOld) {
    problems.push(`${name} sets optionalOldSelf but does not mention oldSelf`);
  }
  if (rule.fieldPath !== undefined && !fieldAt(schema, rule.fieldPath)) {
    problems.push(`the fieldPath ${rule.fieldPath} of ${name} is not a field below it (write it as .name or ['name'])`);
  }
  return problems;
}
