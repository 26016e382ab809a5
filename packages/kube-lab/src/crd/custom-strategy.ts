// SPDX-License-Identifier: Apache-2.0
import { asObject, cloneJson, equalJson, type JsonObject } from '../json/json.ts';
import type { Strategy } from '../registry/strategy.ts';
import { type FieldError, invalid } from '../validation/field-error.ts';
import { validateEmbedded } from './embedded.ts';
import { validateListTypes } from './list-types.ts';
import { RuleChecker } from './rules.ts';
import type { SchemaNode } from './schema-node.ts';
import { validateValue } from './validate-value.ts';

export interface CustomStrategyOptions {
  readonly schema: SchemaNode;
  readonly hasStatus: boolean;
  /** A stored object in the version whose schema this is. */
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

/** What every custom resource does when it is written. */
export function customStrategy({ schema, hasStatus, toVersion }: CustomStrategyOptions): Strategy {
  const rules = new RuleChecker(schema);
  const validate = (stored: JsonObject, storedOld?: JsonObject): readonly FieldError[] => {
    const object = toVersion(stored);
    const old = storedOld && toVersion(storedOld);
    const errors = [
      ...validateValue(schema, object, '', old),
      ...validateEmbedded(schema, object, '', true),
      ...(old && validateListTypes(schema, old, '').length > 0 ? [] : validateListTypes(schema, object, '')),
    ];
    if (errors.some(({ reason }) => blocking.has(reason))) return [...errors, uncheckedRules];
    return [...errors, ...rules.check(object, old)];
  };
  return {
    allowUnconditionalUpdate: false,
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
    validate,
    validateUpdate: (object, old) => validate(object, old),
    validateStatusUpdate: (object, old) => validate(object, old),
  };
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
