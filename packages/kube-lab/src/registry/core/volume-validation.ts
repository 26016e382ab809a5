// SPDX-License-Identifier: Apache-2.0
import { asObject, asString, type JsonObject } from '../../json/json.ts';
import { duplicate, type FieldError, forbiddenField, invalid, required } from '../../validation/field-error.ts';
import { labelErrors } from '../../validation/names.ts';

/** The fields that say what a volume of some kind refers to. */
const references: Readonly<Record<string, string>> = {
  secret: 'secretName',
  configMap: 'name',
  persistentVolumeClaim: 'claimName',
  hostPath: 'path',
};

/** What is wrong with the volumes of a pod. */
export function validateVolumes(volumes: readonly JsonObject[], field: string): FieldError[] {
  const names = new Set<string>();
  return volumes.flatMap((volume, index) => {
    const place = `${field}[${index}]`;
    const errors = validateSource(volume, place);
    const name = asString(volume['name']) ?? '';
    if (name === '') errors.push(required(`${place}.name`));
    else errors.push(...labelErrors(name).map((detail) => invalid(`${place}.name`, name, detail)));
    if (name !== '' && names.has(name)) errors.push(duplicate(`${place}.name`, name));
    names.add(name);
    return errors;
  });
}

function validateSource(volume: JsonObject, field: string): FieldError[] {
  const kinds = Object.keys(volume).filter((key) => key !== 'name');
  const errors = kinds
    .slice(1)
    .map((kind) => forbiddenField(`${field}.${kind}`, 'may not specify more than 1 volume type'));
  const [kind] = kinds;
  if (kind === undefined) return [required(field, 'must specify a volume type')];
  const key = references[kind];
  if (key !== undefined && !asObject(volume[kind])?.[key]) errors.push(required(`${field}.${kind}.${key}`));
  return errors;
}
