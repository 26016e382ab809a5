// SPDX-License-Identifier: Apache-2.0
import { asObject, asString, equalJson, type JsonObject } from '../../json/json.ts';
import { scanJson } from '../../json/scan-json.ts';
import { type FieldError, forbiddenField, invalid, required, tooLong } from '../../validation/field-error.ts';
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
  const size = Object.values(data).reduce<number>((sum, value) => sum + Buffer.byteLength(String(value)), 0);
  const all = Object.values(binary).reduce<number>((sum, value) => sum + byteLength(value), size);
  const both = Object.keys(data).filter((key) => Object.hasOwn(binary, key));
  return [
    ...validateKeys(data, 'data'),
    ...both.map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...validateKeys(binary, 'binaryData'),
    ...(all > maxSize ? [tooLong('[]', maxSize)] : []),
  ];
}

const maxSize = 1024 * 1024;

/** The decoded length of a base64 text. */
function byteLength(value: unknown): number {
  return Buffer.byteLength(String(value), 'base64');
}

/** Immutable data must not change. */
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

/** `stringData` becomes `data`; the type gets its default. */
export function secretDefaults(object: JsonObject): void {
  object['type'] ??= 'Opaque';
  const texts = asObject(object['stringData']);
  if (!texts) return;
  const data = asObject(object['data']) ?? {};
  for (const [key, text] of Object.entries(texts)) data[key] = Buffer.from(String(text), 'utf8').toString('base64');
  object['data'] = data;
  delete object['stringData'];
}

/** Required keys of secrets by type. */
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
  for (const key of typeKeys[type] ?? []) {
    if (data[key] === undefined) errors.push(required(`data[${key}]`));
    else errors.push(...validateDocker(type, key, String(data[key])));
  }
  if (type === 'kubernetes.io/basic-auth' && data['username'] === undefined && data['password'] === undefined) {
    errors.push(required('data[username]'), required('data[password]'));
  }
  const size = Object.values(data).reduce<number>((sum, value) => sum + byteLength(value), 0);
  if (size > maxSize) errors.push(tooLong('data', maxSize));
  return errors;
}

/** Registry credentials must be JSON. */
function validateDocker(type: string, key: string, value: string): FieldError[] {
  if (!type.startsWith('kubernetes.io/dockerc')) return [];
  const text = Buffer.from(value, 'base64').toString('utf8');
  try {
    scanJson(text);
    return [];
  } catch (error) {
    return [invalid(`data[${key}]`, '<secret contents redacted>', (error as Error).message)];
  }
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
