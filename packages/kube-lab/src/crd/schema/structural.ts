// SPDX-License-Identifier: Apache-2.0
import { type CelProblem, checkRule } from '../../cel/field-check.ts';
import { asArray, asObject, asObjects, asString, type JsonObject } from '../../json/json.ts';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../validation/field-error.ts';
import { validateCosts } from '../rule-costs.ts';
import { ruleEnvironment } from '../rules.ts';
import { goPattern, readSchema } from './schema-node.ts';
import { validateValue } from './validate-value.ts';

/** The errors of a schema that is not structural, or that the real server refuses for another reason. */
export function validateStructural(schema: JsonObject, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (schema['type'] !== 'object') {
    if (!schema['type']) errors.push(required(`${field}.type`, 'must not be empty at the root'));
    else errors.push(invalid(`${field}.type`, schema['type'], 'must be object at the root'));
  }
  visit(schema, field, errors, true);
  // The cost is only known for rules that compile.
  return errors.length > 0 ? errors : validateCosts(readSchema(schema), field);
}

const forbidden: Readonly<Record<string, string>> = {
  $ref: '$ref is not supported',
  definitions: 'definitions is not supported',
  dependencies: 'dependencies is not supported',
  patternProperties: 'patternProperties is not supported',
  additionalItems: 'additionalItems is not supported',
  deprecated: 'deprecated is not supported',
  discriminator: 'discriminator is not supported',
  id: 'id is not supported',
};

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

function visit(schema: JsonObject, field: string, errors: FieldError[], isRoot: boolean): void {
  for (const [key, why] of Object.entries(forbidden)) {
    if (schema[key] !== undefined) errors.push(forbiddenField(`${field}.${key}`, why));
  }
  checkShape(schema, field, errors, isRoot);
  checkLists(schema, field, errors);
  checkDefault(schema, field, errors);
  checkRules(schema, field, errors, isRoot);
  checkPattern(schema, field, errors);
  visitBelow(schema, field, errors);
}

function visitBelow(schema: JsonObject, field: string, errors: FieldError[]): void {
  for (const [name, below] of Object.entries(asObject(schema['properties']) ?? {})) {
    visit(asObject(below) ?? {}, `${field}.properties[${name}]`, errors, false);
  }
  const additional = asObject(schema['additionalProperties']);
  if (additional) visit(additional, `${field}.additionalProperties`, errors, false);
  const items = asObject(schema['items']);
  if (items) visit(items, `${field}.items`, errors, false);
  for (const key of ['allOf', 'anyOf', 'oneOf']) {
    for (const [index, below] of asObjects(schema[key]).entries()) {
      checkJunctor(below, `${field}.${key}[${index}]`, errors, schema['x-kubernetes-int-or-string'] === true);
    }
  }
  const not = asObject(schema['not']);
  if (not) checkJunctor(not, `${field}.not`, errors, false);
}

function checkShape(schema: JsonObject, field: string, errors: FieldError[], isRoot: boolean): void {
  const { type, properties, additionalProperties } = schema;
  const isFree =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (!type && !isFree && !isRoot)
    errors.push(required(`${field}.type`, 'must not be empty for specified object fields'));
  if (type && !types.includes(String(type))) errors.push(notSupported(`${field}.type`, type, types));
  if (properties !== undefined && additionalProperties !== undefined) {
    errors.push(
      forbiddenField(`${field}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
    );
  }
  if (additionalProperties === false) {
    errors.push(forbiddenField(`${field}.additionalProperties`, 'additionalProperties cannot be set to false'));
  }
  if (schema['uniqueItems'] === true) {
    errors.push(
      forbiddenField(
        `${field}.uniqueItems`,
        'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ),
    );
  }
  if (type === 'array' && schema['items'] === undefined) {
    errors.push(required(`${field}.items`, 'must be specified'));
  }
  if (Array.isArray(schema['items'])) {
    errors.push(forbiddenField(`${field}.items`, 'items must be a schema object and not an array'));
  }
  if (schema['x-kubernetes-embedded-resource'] === true && type !== 'object') {
    errors.push(invalid(`${field}.type`, type ?? '', 'must be object if x-kubernetes-embedded-resource is true'));
  }
}

function checkLists(schema: JsonObject, field: string, errors: FieldError[]): void {
  const listType = schema['x-kubernetes-list-type'];
  const keys = asArray(schema['x-kubernetes-list-map-keys']).map(String);
  if (listType === undefined) {
    if (keys.length > 0)
      errors.push(
        required(`${field}.x-kubernetes-list-type`, 'must be map if x-kubernetes-list-map-keys is non-empty'),
      );
    return;
  }
  const allowed = ['atomic', 'map', 'set'];
  if (!allowed.includes(String(listType)))
    errors.push(notSupported(`${field}.x-kubernetes-list-type`, listType, allowed));
  if (schema['type'] !== 'array') {
    errors.push(invalid(`${field}.type`, schema['type'] ?? '', 'must be array if x-kubernetes-list-type is specified'));
  }
  if (listType === 'map') checkMapKeys(schema, keys, field, errors);
}

function checkMapKeys(schema: JsonObject, keys: readonly string[], field: string, errors: FieldError[]): void {
  if (keys.length === 0) {
    errors.push(required(`${field}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'));
  }
  const items = asObject(schema['items']) ?? {};
  const properties = asObject(items['properties']) ?? {};
  for (const [index, key] of keys.entries()) {
    const property = asObject(properties[key]);
    if (!property) {
      const place = `${field}.x-kubernetes-list-map-keys[${index}]`;
      errors.push(invalid(place, key, 'entries must all be names of item properties'));
    } else if (property['default'] === undefined && !asArray(items['required']).includes(key)) {
      const why = 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(required(`${field}.items.properties[${key}].default`, why));
    }
  }
}

function checkDefault(schema: JsonObject, field: string, errors: FieldError[]): void {
  if (schema['default'] === undefined) return;
  const { default: value, ...rest } = schema;
  const place = `${field}.default`;
  const problems = validateValue(readSchema(rest), value ?? null, '');
  errors.push(
    ...problems.map((one) => ({
      ...one,
      field: one.field === '' || one.field === '<nil>' ? place : `${place}.${one.field}`,
    })),
  );
}

function checkRules(schema: JsonObject, field: string, errors: FieldError[], isRoot: boolean): void {
  const rules = asObjects(schema['x-kubernetes-validations']);
  if (rules.length === 0) return;
  const self = readSchema(schema);
  for (const [index, rule] of rules.entries()) {
    const place = `${field}.x-kubernetes-validations[${index}]`;
    const expression = asString(rule['rule']) ?? '';
    if (expression.trim() === '') {
      errors.push(required(`${place}.rule`, 'rule is not specified'));
      continue;
    }
    const environment = ruleEnvironment(rule['optionalOldSelf'] === true);
    const problem = checkRule(environment, expression, self, isRoot);
    if (problem) errors.push(invalid(`${place}.rule`, shownRule(rule), compilationText(expression, problem)));
  }
}

/** A rule in the real server's error messages. */
function shownRule(rule: JsonObject): JsonObject {
  return {
    Rule: rule['rule'] ?? '',
    Message: rule['message'] ?? '',
    MessageExpression: rule['messageExpression'] ?? '',
    Reason: rule['reason'] ?? null,
    FieldPath: rule['fieldPath'] ?? '',
    OptionalOldSelf: rule['optionalOldSelf'] ?? null,
  };
}

function compilationText(expression: string, { column, message }: CelProblem): string {
  return `compilation failed: ERROR: <input>:1:${column}: ${message}\n | ${expression}\n | ${'.'.repeat(column - 1)}^`;
}

function checkPattern(schema: JsonObject, field: string, errors: FieldError[]): void {
  const pattern = asString(schema['pattern']);
  if (!pattern) return;
  if (goPattern(pattern).source === '(?!)') {
    errors.push(
      invalid(`${field}.pattern`, pattern, "must be a valid regular expression, but isn't: error parsing regexp"),
    );
  }
}

const structuralOnly = ['type', 'default', 'title', 'description', 'nullable', 'additionalProperties'];

/** allOf, anyOf, oneOf and not may only constrain values. Types and defaults must be declared outside of them. */
function checkJunctor(schema: JsonObject, field: string, errors: FieldError[], intOrString: boolean): void {
  for (const key of structuralOnly) {
    const value = schema[key];
    if (value === undefined || value === '' || value === false) continue;
    if (key === 'type' && intOrString) continue;
    errors.push(
      forbiddenField(
        `${field}.${key}`,
        key === 'type' ? 'must be empty to be structural' : 'must be undefined to be structural',
      ),
    );
  }
  for (const [name, below] of Object.entries(asObject(schema['properties']) ?? {})) {
    checkJunctor(asObject(below) ?? {}, `${field}.properties[${name}]`, errors, false);
  }
  const items = asObject(schema['items']);
  if (items) checkJunctor(items, `${field}.items`, errors, false);
}
