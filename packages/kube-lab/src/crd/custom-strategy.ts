// SPDX-License-Identifier: Apache-2.0
import { asObject, cloneJson, equalJson, type JsonObject } from '../json/json.ts';
import type { Strategy, WriteContext } from '../registry/strategy.ts';
import { type FieldError, invalid } from '../validation/field-error.ts';
import { RuleChecker } from './rules.ts';
import { type ScalePaths, validateScale } from './scale.ts';
import { validateEmbedded } from './schema/embedded.ts';
import { validateListTypes } from './schema/list-types.ts';
import type { SchemaNode } from './schema/schema-node.ts';
import { validateValue } from './schema/validate-value.ts';

export interface CustomStrategyOptions {
  readonly schema: SchemaNode;
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | undefined;
  /** A stored object in the version of this schema. */
  toVersion(object: JsonObject): JsonObject;
}

const uncheckedRules = invalid(
  '<nil>',
  undefined,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

const blocking = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** The strategy of every custom resource. */
export function customStrategy({ schema, hasStatus, scale, toVersion }: CustomStrategyOptions): Strategy {
  const rules = new RuleChecker(schema);
  const check = (
    stored: JsonObject,
    storedOld: JsonObject | undefined,
    shape: (object: JsonObject, old: JsonObject | undefined) => readonly FieldError[],
    context?: WriteContext,
  ): readonly FieldError[] => {
    const object = toVersion(stored);
    const old = storedOld && toVersion(storedOld);
    const errors = [
      ...shape(object, old),
      ...(scale ? validateScale(scale, object) : []),
      ...validateEmbedded(schema, object, '', true),
      ...(old && validateListTypes(schema, old, '').length > 0 ? [] : validateListTypes(schema, object, '')),
    ];
    if (!hasRules(schema)) return errors;
    if (errors.some(({ reason }) => blocking.has(reason))) return [...errors, uncheckedRules];
    const found = rules.check(object, old);
    for (const { field, message } of found.unchanged) context?.warn(`${field}: ${message}`);
    return [...errors, ...found.errors];
  };
  const whole = (object: JsonObject, old: JsonObject | undefined) => validateValue(schema, object, '', old);
  const statusOnly = (object: JsonObject, old: JsonObject | undefined) => validateStatus(schema, object, old);
  return {
    allowUnconditionalUpdate: false,
    anyFinalizer: true,
    prepareForCreate(object) {
      if (hasStatus) delete object['status'];
      (asObject(object['metadata']) ?? {})['generation'] = 1;
    },
    prepareForUpdate(object, old) {
      if (hasStatus) keep(object, old, 'status');
      raiseGeneration(object, old);
    },
    prepareForStatusUpdate(object, old) {
      const { status } = object;
      const managedFields = asObject(object['metadata'])?.['managedFields'];
      for (const key of Object.keys(object)) delete object[key];
      Object.assign(object, cloneJson(old));
      if (status === undefined) delete object['status'];
      else object['status'] = status;
      const metadata = asObject(object['metadata']) ?? {};
      if (managedFields === undefined) delete metadata['managedFields'];
      else metadata['managedFields'] = managedFields;
    },
    validate: (object) => check(object, undefined, whole),
    validateUpdate: (object, old, context) => check(object, old, whole, context),
    validateStatusUpdate: (object, old, context) => check(object, old, statusOnly, context),
  };
}

/** A write to `status` validates only the status. As from the real server, messages name paths below the status. */
function validateStatus(schema: SchemaNode, object: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const node = schema.properties.get('status');
  const { status } = object;
  if (!node || status === undefined) return [];
  return validateValue(node, status, '', old?.['status']).map((error) => ({
    ...error,
    field: error.field === '<nil>' || error.field === '' ? 'status' : `status.${error.field}`,
  }));
}

function raiseGeneration(object: JsonObject, old: JsonObject): void {
  const content = ({ metadata: _metadata, ...rest }: JsonObject) => rest;
  if (equalJson(content(object), content(old))) return;
  const before = asObject(old['metadata'])?.['generation'];
  const metadata = asObject(object['metadata']);
  if (metadata) metadata['generation'] = typeof before === 'number' ? before + 1 : 1;
}

function keep(target: JsonObject, source: JsonObject, key: string): void {
  if (source[key] === undefined) delete target[key];
  else target[key] = source[key];
}

const known = new WeakMap<SchemaNode, boolean>();

/** True if a schema contains a CEL rule. */
function hasRules(node: SchemaNode): boolean {
  const before = known.get(node);
  if (before !== undefined) return before;
  const below = [...node.properties.values(), node.items, node.additional === true ? undefined : node.additional];
  const found = node.rules.length > 0 || below.some((one) => one !== undefined && hasRules(one));
  known.set(node, found);
  return found;
}
