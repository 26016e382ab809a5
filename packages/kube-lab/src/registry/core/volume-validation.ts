// SPDX-License-Identifier: Apache-2.0
import { asNumber, asObject, asObjects, asString, type Json, type JsonObject } from '../../json/json.ts';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../validation/field-error.ts';
import { labelErrors } from '../../validation/names.ts';
import { unreservedPathErrors } from '../../validation/paths.ts';
import { isVolumeField, resourceFieldErrors } from './env-validation.ts';

/** The validation errors of a pod's volumes, and the names of the valid volumes. Only valid volumes can be mounted. */
export interface CheckedVolumes {
  readonly errors: readonly FieldError[];
  readonly names: ReadonlySet<string>;
}

export function validateVolumes(volumes: readonly JsonObject[], field: string): CheckedVolumes {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, volume] of volumes.entries()) {
    const place = `${field}[${index}]`;
    const name = asString(volume['name']) ?? '';
    const found = validateSource(volume, place);
    if (name === '') found.push(required(`${place}.name`));
    else found.push(...labelErrors(name).map((detail) => invalid(`${place}.name`, name, detail)));
    if (names.has(name)) found.push(duplicate(`${place}.name`, name));
    if (found.length === 0) names.add(name);
    errors.push(...found);
  }
  return { errors, names };
}

function validateSource(volume: JsonObject, field: string): FieldError[] {
  const kinds = Object.keys(volume).filter((key) => key !== 'name');
  const errors = kinds
    .slice(1)
    .map((kind) => forbiddenField(`${field}.${kind}`, 'may not specify more than 1 volume type'));
  const [kind] = kinds;
  if (kind === undefined) return [required(field, 'must specify a volume type')];
  return [...errors, ...validateKind(kind, asObject(volume[kind]) ?? {}, `${field}.${kind}`)];
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function validateKind(kind: string, source: JsonObject, field: string): FieldError[] {
  const named = (key: string) => (source[key] ? [] : [required(`${field}.${key}`)]);
  switch (kind) {
    case 'secret':
      return [
        ...named('secretName'),
        ...modeErrors(source['defaultMode'], `${field}.defaultMode`),
        ...items(source, field),
      ];
    case 'configMap':
      return [...named('name'), ...modeErrors(source['defaultMode'], `${field}.defaultMode`), ...items(source, field)];
    case 'persistentVolumeClaim':
      return named('claimName');
    case 'hostPath':
      return [...named('path'), ...hostPathTypeErrors(source['type'], `${field}.type`)];
    case 'downwardAPI':
      return [...modeErrors(source['defaultMode'], `${field}.defaultMode`), ...downwardFiles(source, field)];
    case 'projected':
      return [...modeErrors(source['defaultMode'], `${field}.defaultMode`), ...projectedSources(source, field)];
    default:
      return [];
  }
}

function hostPathTypeErrors(type: Json | undefined, field: string): FieldError[] {
  return typeof type !== 'string' || hostPathTypes.includes(type) ? [] : [notSupported(field, type, hostPathTypes)];
}

function modeErrors(mode: Json | undefined, field: string): FieldError[] {
  const number = asNumber(mode);
  if (number === undefined || (number >= 0 && number <= 0o777)) return [];
  return [invalid(field, number, 'must be a number between 0 and 0777 (octal), both inclusive')];
}

function items(source: JsonObject, field: string): FieldError[] {
  return asObjects(source['items']).flatMap((item, index) => {
    const place = `${field}.items[${index}]`;
    return [
      ...['key', 'path'].filter((key) => !item[key]).map((key) => required(`${place}.${key}`)),
      ...unreservedPathErrors(asString(item['path']) ?? '', `${place}.path`),
      ...modeErrors(item['mode'], `${place}.mode`),
    ];
  });
}

/** As from the real server, errors name the volume, not its file. */
function downwardFiles(source: JsonObject, field: string): FieldError[] {
  return asObjects(source['items']).flatMap((file) => [
    ...(file['path'] ? [] : [required(`${field}.path`)]),
    ...unreservedPathErrors(asString(file['path']) ?? '', `${field}.path`),
    ...downwardReference(file, field),
    ...modeErrors(file['mode'], `${field}.mode`),
  ]);
}

function downwardReference(file: JsonObject, field: string): FieldError[] {
  const path = asObject(file['fieldRef']);
  const resource = asObject(file['resourceFieldRef']);
  if (path) return fieldErrors(asString(path['fieldPath']) ?? '', `${field}.fieldRef.fieldPath`);
  if (!resource) return [required(field, 'one of fieldRef and resourceFieldRef is required')];
  const place = `${field}.resourceFieldRef`;
  return resource['containerName'] ? resourceFieldErrors(resource, place) : [required(`${place}.containerName`)];
}

function fieldErrors(path: string, field: string): FieldError[] {
  if (path === '') return [required(field)];
  if (isVolumeField(path)) return [];
  return [invalid(field, path, `error converting fieldPath: field label not supported: ${path}`)];
}

const leastTokenSeconds = 600;

function projectedSources(source: JsonObject, field: string): FieldError[] {
  return asObjects(source['sources']).flatMap((one, index) => {
    const place = `${field}.sources[${index}]`;
    const errors = ['secret', 'configMap'].flatMap((kind) => {
      const given = asObject(one[kind]);
      if (!given) return [];
      return [...(given['name'] ? [] : [required(`${place}.${kind}.name`)]), ...items(given, `${place}.${kind}`)];
    });
    const downward = asObject(one['downwardAPI']);
    if (downward) errors.push(...downwardFiles(downward, `${place}.downwardAPI`));
    const token = asObject(one['serviceAccountToken']);
    if (token) errors.push(...tokenErrors(token, field, `${place}.serviceAccountToken`));
    if (Object.keys(one).length > 1) {
      errors.push(forbiddenField(place, 'may not specify more than 1 volume type per source'));
    }
    return errors;
  });
}

function tokenErrors(token: JsonObject, volume: string, field: string): FieldError[] {
  const seconds = asNumber(token['expirationSeconds']);
  const path = asString(token['path']) ?? '';
  const errors: FieldError[] = [];
  if (seconds !== undefined && seconds < leastTokenSeconds) {
    errors.push(invalid(`${field}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes'));
  }
  if (path === '') errors.push(required(`${volume}.path`));
  else errors.push(...unreservedPathErrors(path, `${volume}.path`));
  return errors;
}
