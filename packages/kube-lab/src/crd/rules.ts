// SPDX-License-Identifier: Apache-2.0
import { type Environment, Optional } from '@marcbachmann/cel-js';
import { toCel } from '../cel/convert.ts';
import { type CelProgram, celEnvironment, celMessage, celProgram } from '../cel/environment.ts';
import { asArray, asObject, equalJson, isObject, type Json, type JsonObject } from '../json/json.ts';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  invalidUnshown,
  required,
} from '../validation/field-error.ts';
import { correlatedItem } from './schema/correlate.ts';
import type { SchemaNode, ValidationRule } from './schema/schema-node.ts';

interface CompiledRule {
  readonly rule: ValidationRule;
  /** True if the rule uses the old value (`oldSelf`). Such a transition rule does not apply to new values. */
  readonly transition: boolean;
  readonly test: CelProgram;
  readonly message: CelProgram | undefined;
}

/** True if an expression uses the old value. */
function usesOldSelf(expression: string): boolean {
  return /\boldSelf\b/.test(expression);
}

interface Findings {
  readonly errors: FieldError[];
  readonly unchanged: FieldError[];
}

/** `errors` refuse the write. `unchanged` are errors in parts that the write does not change; they become warnings. */
export interface RuleFindings {
  readonly errors: readonly FieldError[];
  readonly unchanged: readonly FieldError[];
}

const environments = new Map<boolean, Environment>();

/** The CEL environment of rules. `oldSelf` may be declared as optional. */
export function ruleEnvironment(optionalOldSelf: boolean): Environment {
  const known = environments.get(optionalOldSelf);
  if (known) return known;
  const made = celEnvironment(['self']).registerVariable('oldSelf', optionalOldSelf ? 'optional<dyn>' : 'dyn');
  environments.set(optionalOldSelf, made);
  return made;
}

/** The CEL rules of a schema, compiled on first use. */
export class RuleChecker {
  readonly #root: SchemaNode;
  readonly #compiled = new WeakMap<SchemaNode, readonly CompiledRule[]>();

  constructor(root: SchemaNode) {
    this.#root = root;
  }

  /** The errors of the rules for a value. Without `old` the object is new, and transition rules are skipped. */
  check(value: JsonObject, old: JsonObject | undefined): RuleFindings {
    const found = { errors: [], unchanged: [] };
    this.#visit(this.#root, value, old, '', found);
    return found;
  }

  #visit(node: SchemaNode, value: Json, old: Json | undefined, path: string, found: Findings): void {
    if (value === null) return;
    const rules = this.#rulesOf(node);
    const list = rules.length > 0 && old !== undefined && equalJson(value, old) ? found.unchanged : found.errors;
    for (const rule of rules) {
      const error = evaluate(rule, node, value, old, path);
      if (error) list.push(error);
    }
    if (isObject(value)) this.#visitFields(node, value, old, path, found);
    else if (Array.isArray(value)) this.#visitItems(node, value, old, path, found);
  }

  #visitFields(node: SchemaNode, value: JsonObject, old: Json | undefined, path: string, found: Findings): void {
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      const property = node.properties.get(key);
      const below = property ?? (node.additional === true ? undefined : node.additional);
      const named = path === '' ? key : `${path}.${key}`;
      const place = property ? named : `${path}[${key}]`;
      if (below) this.#visit(below, item, asObject(old)?.[key], place, found);
    }
  }

  #visitItems(node: SchemaNode, value: readonly Json[], old: Json | undefined, path: string, found: Findings): void {
    const { items } = node;
    if (!items) return;
    for (const [index, item] of value.entries()) {
      this.#visit(items, item, correlatedItem(node, item, asArray(old)), `${path}[${index}]`, found);
    }
  }

  #rulesOf(node: SchemaNode): readonly CompiledRule[] {
    if (node.rules.length === 0) return [];
    const known = this.#compiled.get(node);
    if (known) return known;
    const made = node.rules.map((rule) => {
      const environment = ruleEnvironment(rule.optionalOldSelf);
      return {
        rule,
        transition: usesOldSelf(rule.rule),
        test: celProgram(environment, rule.rule),
        message: rule.messageExpression ? celProgram(environment, rule.messageExpression) : undefined,
      };
    });
    this.#compiled.set(node, made);
    return made;
  }
}

function evaluate(
  compiled: CompiledRule,
  node: SchemaNode,
  value: Json,
  old: Json | undefined,
  path: string,
): FieldError | undefined {
  const { rule, transition } = compiled;
  if (transition && old === undefined && !rule.optionalOldSelf) return undefined;
  const variables = { self: toCel(node, value), oldSelf: oldValue(rule, node, old) };
  const field = path || '<nil>';
  try {
    if (compiled.test(variables) === true) return undefined;
  } catch (error) {
    return invalid(field, node.type ?? '', `${celMessage(error)} evaluating rule: ${rule.message ?? rule.rule}`);
  }
  const message = messageOf(compiled, variables) ?? rule.message ?? `failed rule: ${rule.rule.trim()}`;
  return errorFor(rule, field + childPath(rule.fieldPath), value, message);
}

function oldValue(rule: ValidationRule, node: SchemaNode, old: Json | undefined): unknown {
  if (!rule.optionalOldSelf) return toCel(node, old);
  return old === undefined ? Optional.none() : Optional.of(toCel(node, old));
}

function messageOf({ message }: CompiledRule, variables: Readonly<Record<string, unknown>>): string | undefined {
  if (!message) return undefined;
  try {
    const text = message(variables);
    return typeof text === 'string' && text.trim() !== '' && !text.includes('\n') ? text : undefined;
  } catch {
    // Nothing to do: if the message expression fails, the caller uses the fixed message.
    return undefined;
  }
}

/** `.a.b` and `['a']['b']` as in error messages. */
function childPath(fieldPath: string | undefined): string {
  if (!fieldPath) return '';
  return fieldPath.replace(/\['([^']*)'\]/g, '.$1');
}

function errorFor(rule: ValidationRule, field: string, value: Json, message: string): FieldError {
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbiddenField(field, message);
    case 'FieldValueRequired':
      return required(field, message);
    case 'FieldValueDuplicate':
      return duplicate(field, value);
    default:
      return typeof value === 'object' ? invalidUnshown(field, message) : invalid(field, value, message);
  }
}
