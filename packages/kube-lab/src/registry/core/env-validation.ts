// SPDX-License-Identifier: Apache-2.0
import { asObject, asString, type JsonObject } from '../../json/json.ts';
import { type FieldError, invalid, notSupported, required } from '../../validation/field-error.ts';
import { subdomainErrors } from '../../validation/names.ts';

const envSources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];
const fieldPaths =
  /^(metadata\.(name|namespace|uid)|metadata\.(labels|annotations)\['.+'\]|spec\.(nodeName|serviceAccountName)|status\.(hostIPs?|podIPs?))$/;

const volumeFields = /^metadata\.(name|namespace|uid|labels|annotations|(labels|annotations)\['.+'\])$/;

/** True if a downward API volume can contain this field of a pod. */
export function isVolumeField(path: string): boolean {
  return volumeFields.test(path);
}

const resourceFields = ['limits', 'requests'].flatMap((list) =>
  ['cpu', 'ephemeral-storage', 'memory'].map((name) => `${list}.${name}`),
);

/** The validation errors of a reference to a resource of a container. */
export function resourceFieldErrors(reference: JsonObject, field: string): FieldError[] {
  const resource = asString(reference['resource']) ?? '';
  if (resource === '') return [required(`${field}.resource`)];
  if (resourceFields.includes(resource) || /^(limits|requests)\.hugepages-/.test(resource)) return [];
  return [notSupported(`${field}.resource`, resource, resourceFields)];
}

/** The validation errors of `envFrom`. The real server names the list, not the item. */
export function validateEnvFrom(sources: readonly JsonObject[], field: string): FieldError[] {
  return sources.flatMap((source, index) => {
    const given = ['configMapRef', 'secretRef'].filter((key) => source[key] !== undefined);
    const errors = given
      .filter((key) => !asObject(source[key])?.['name'])
      .map((key) => required(`${field}[${index}].${key}.name`));
    if (given.length === 0) errors.push(invalid(field, '', 'must specify one of: `configMapRef` or `secretRef`'));
    if (given.length > 1) errors.push(invalid(field, '', 'may not have more than one field specified at a time'));
    return errors;
  });
}

/** The validation errors of a variable of a container's environment. */
export function validateEnv(env: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const name = asString(env['name']) ?? '';
  if (name === '') errors.push(required(`${field}.name`));
  else if (/[=\0]/.test(name)) {
    errors.push(
      invalid(
        `${field}.name`,
        name,
        "a valid environment variable name must consist only of printable ASCII characters other than '='",
      ),
    );
  }
  const from = asObject(env['valueFrom']);
  return from ? [...errors, ...validateFrom(from, `${field}.valueFrom`, Boolean(env['value']))] : errors;
}

function validateFrom(from: JsonObject, place: string, hasValue: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const given = envSources.filter((source) => from[source] !== undefined);
  if (hasValue) {
    errors.push(invalid(place, '', 'may not be specified when `value` is not empty'));
  } else if (given.length === 0) {
    const listed = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    errors.push(invalid(place, '', `must specify one of: ${listed}`));
  } else if (given.length > 1) {
    errors.push(invalid(place, '', 'may not have more than one field specified at a time'));
  }
  const resource = asObject(from['resourceFieldRef']);
  return [
    ...errors,
    ...validateFieldRef(from, place),
    ...(resource ? resourceFieldErrors(resource, `${place}.resourceFieldRef`) : []),
    ...validateKeyRefs(from, place),
  ];
}

function validateFieldRef(from: JsonObject, place: string): FieldError[] {
  const path = asString(asObject(from['fieldRef'])?.['fieldPath']);
  const field = `${place}.fieldRef.fieldPath`;
  if (path === undefined || fieldPaths.test(path)) return [];
  if (path === '') return [required(field)];
  return [invalid(field, path, `error converting fieldPath: field label not supported: ${path}`)];
}

function validateKeyRefs(from: JsonObject, place: string): FieldError[] {
  return ['configMapKeyRef', 'secretKeyRef'].flatMap((source) => {
    const reference = asObject(from[source]);
    if (!reference) return [];
    const missing = ['name', 'key']
      .filter((key) => !reference[key])
      .map((key) => required(`${place}.${source}.${key}`));
    const name = asString(reference['name']) ?? '';
    const wrong = name === '' ? [] : subdomainErrors(name);
    return [...missing, ...wrong.map((detail) => invalid(`${place}.${source}.name`, name, detail))];
  });
}
