// SPDX-License-Identifier: Apache-2.0
import { asObject, asString, equalJson, type JsonObject } from '../../json/json.ts';
import { type FieldError, forbiddenField, invalid, required } from '../../validation/field-error.ts';
import type { Strategy } from '../strategy.ts';

const keyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', " +
  "regex used for validation is '[-._a-zA-Z0-9]+')";

function keyErrors(key: string): readonly string[] {
  if (key === '.' || key === '..') return [`must not be '${key}'`];
  const errors = key.startsWith('..') ? [`must not start with '..'`] : [];
  if (key.length > 253) errors.push('must be no more than 253 characters');
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) errors.push(keyText);
  return errors;
}

function validateKeys(map: JsonObject | undefined, field: string): FieldError[] {
  return Object.keys(map ?? {})
    .sort()
    .flatMap((key) => keyErrors(key).map((detail) => invalid(`${field}[${key}]`, key, detail)));
}

function validateConfigMap(object: JsonObject): readonly FieldError[] {
  const data = asObject(object['data']) ?? {};
  const binary = asObject(object['binaryData']) ?? {};
  const both = Object.keys(data).filter((key) => Object.hasOwn(binary, key));
  return [
    ...validateKeys(data, 'data'),
    ...both.map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...validateKeys(binary, 'binaryData'),
  ];
}

/** What was declared immutable stays as it is. */
function validateImmutable(object: JsonObject, old: JsonObject, fields: readonly string[]): FieldError[] {
  if (old['immutable'] !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  const errors = object['immutable'] === true ? [] : [forbiddenField('immutable', detail)];
  return [
    ...errors,
    ...fields.filter((key) => !equalJson(object[key], old[key])).map((key) => forbiddenField(key, detail)),
  ];
}

export const configMapStrategy: Strategy = {
  allowCreateOnUpdate: false,
  validate: validateConfigMap,
  validateUpdate: (object, old) => [
    ...validateImmutable(object, old, ['data', 'binaryData']),
    ...validateConfigMap(object),
  ],
};

/** Texts become data; the type is filled in. */
export function secretDefaults(object: JsonObject): void {
  object['type'] ??= 'Opaque';
  const texts = asObject(object['stringData']);
  if (!texts) return;
  const data = asObject(object['data']) ?? {};
  for (const [key, text] of Object.entries(texts)) data[key] = Buffer.from(String(text), 'utf8').toString('base64');
  object['data'] = data;
  delete object['stringData'];
}

/** Keys that secrets of a certain type must have. */
const typeKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

const accountKey = 'kubernetes.io/service-account.name';

function validateSecret(object: JsonObject): readonly FieldError[] {
  const data = asObject(object['data']) ?? {};
  const type = asString(object['type']) ?? '';
  const errors = validateKeys(data, 'data');
  if (type === 'kubernetes.io/service-account-token') {
    const annotations = asObject(asObject(object['metadata'])?.['annotations']) ?? {};
    if (!annotations[accountKey]) errors.push(required(`metadata.annotations[${accountKey}]`));
  }
  for (const key of typeKeys[type] ?? []) if (data[key] === undefined) errors.push(required(`data[${key}]`));
  return errors;
}

export const secretStrategy: Strategy = {
  prepareForCreate(object, context) {
    const certificate = asString(asObject(object['data'])?.['tls.crt']);
    if (object['type'] !== 'kubernetes.io/tls' || certificate === undefined) return;
    if (Buffer.from(certificate, 'base64').toString('latin1').includes('-----BEGIN ')) return;
    context.warn('tls: failed to find any PEM data in certificate input');
  },
  validate: validateSecret,
  validateUpdate(object, old) {
    const errors: FieldError[] = validateImmutable(object, old, ['data']);
    if (object['type'] !== old['type']) errors.push(invalid('type', object['type'], 'field is immutable'));
    return [...errors, ...validateSecret(object)];
  },
};
