// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, equalJson, type Json, type JsonObject } from '../json/json.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Strategy } from '../registry/strategy.ts';
import { type FieldError, forbiddenField, invalid, required } from './field-error.ts';
import { labelErrors, labelValueErrors, qualifiedNameErrors, subdomainErrors } from './names.ts';

const annotationsLimit = 256 * 1024;

/** The validation errors of `metadata` of a new object. */
export function validateObjectMeta(
  object: JsonObject,
  resource: Pick<ServedResource, 'namespaced' | 'strategy'>,
): FieldError[] {
  const metadata = asObject(object['metadata']) ?? {};
  const nameErrors = resource.strategy.validateName ?? subdomainErrors;
  const errors: FieldError[] = [];
  const generateName = metadata['generateName'];
  if (typeof generateName === 'string' && generateName !== '') {
    const sample = generateName.endsWith('-') ? `${generateName.slice(0, -1)}a` : generateName;
    for (const detail of nameErrors(sample, true)) errors.push(invalid('metadata.generateName', generateName, detail));
  }
  const { name } = metadata;
  if (typeof name !== 'string' || name === '') {
    errors.push(required('metadata.name', 'name or generateName is required'));
  } else {
    for (const detail of nameErrors(name, false)) errors.push(invalid('metadata.name', name, detail));
  }
  errors.push(...validateNamespace(metadata, resource.namespaced), ...validateMaps(metadata, resource.strategy));
  return errors;
}

function validateNamespace(metadata: JsonObject, namespaced: boolean): FieldError[] {
  const { namespace } = metadata;
  if (!namespaced) return namespace ? [forbiddenField('metadata.namespace', 'not allowed on this type')] : [];
  if (typeof namespace !== 'string' || namespace === '') return [required('metadata.namespace')];
  return labelErrors(namespace).map((detail) => invalid('metadata.namespace', namespace, detail));
}

function validateMaps(metadata: JsonObject, { anyFinalizer }: Pick<Strategy, 'anyFinalizer'>): FieldError[] {
  return [
    ...validateLabels(asObject(metadata['labels']), 'metadata.labels'),
    ...validateAnnotations(asObject(metadata['annotations']), 'metadata.annotations'),
    ...validateOwnerReferences(asObjects(metadata['ownerReferences'])),
    ...asArray(metadata['finalizers']).flatMap((one) =>
      qualifiedNameErrors(String(one)).map((detail) => invalid('metadata.finalizers', one, detail)),
    ),
    ...asArray(metadata['finalizers']).flatMap((one, index) =>
      validateFinalizer(one, `metadata.finalizers[${index}]`, anyFinalizer === true),
    ),
  ];
}

/** The validation errors of a map of labels. */
export function validateLabels(labels: JsonObject | undefined, field: string): FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...qualifiedNameErrors(key, 'a valid label key').map((detail) => invalid(field, key, detail)),
    ...labelValueErrors(String(value ?? '')).map((detail) => invalid(field, value, detail)),
  ]);
}

/** The validation errors of a map of annotations. */
function validateAnnotations(annotations: JsonObject | undefined, field: string): FieldError[] {
  const entries = Object.entries(annotations ?? {});
  const errors = entries.flatMap(([key]) =>
    qualifiedNameErrors(key.toLowerCase()).map((detail) => invalid(field, key, detail)),
  );
  const size = entries.reduce((sum, [key, value]) => sum + key.length + String(value ?? '').length, 0);
  if (size > annotationsLimit) {
    const message = `Too long: may not be more than ${annotationsLimit} bytes`;
    errors.push({ reason: 'FieldValueTooLong', field, message });
  }
  return errors;
}

function validateFinalizer(value: Json, field: string, isFree: boolean): FieldError[] {
  const text = String(value);
  const errors: FieldError[] = [];
  if (!isFree && !text.includes('/') && !standardFinalizers.has(text)) {
    errors.push(invalid(field, value, 'name is neither a standard finalizer name nor is it fully qualified'));
  }
  return errors;
}

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** True for `v1` or `group/v1`. */
function hasVersion(apiVersion: Json | undefined): boolean {
  return /^([^/]*\/)?[^/]+$/.test(String(apiVersion ?? ''));
}

function validateOwnerReferences(references: readonly JsonObject[]): FieldError[] {
  const field = 'metadata.ownerReferences';
  const errors = references.flatMap((reference) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((key) => (key === 'apiVersion' ? !hasVersion(reference[key]) : !reference[key]))
      .map((key) => {
        const detail = key === 'apiVersion' ? 'version must not be empty' : 'must not be empty';
        return invalid(`${field}.${key}`, reference[key] ?? '', detail);
      }),
  );
  for (const reference of references) {
    if (reference['kind'] !== 'Event' || !['v1', 'events.k8s.io/v1'].includes(String(reference['apiVersion'])))
      continue;
    const shown = reference['apiVersion'] === 'v1' ? '/v1' : 'events.k8s.io/v1';
    errors.push(invalid(field, reference, `${shown}, Kind=Event is disallowed from being an owner`));
  }
  const controllers = references.filter((reference) => reference['controller'] === true);
  if (controllers.length > 1) {
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controllers.map((one) => `${String(one['kind'])}/${String(one['name'])}`).join(' and ')}`;
    errors.push(invalid(field, references as JsonObject[], detail));
  }
  return errors;
}

const immutableFields = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** The validation errors of a change of `metadata`. */
export function validateObjectMetaUpdate(
  object: JsonObject,
  old: JsonObject,
  strategy: Pick<Strategy, 'anyFinalizer'>,
): FieldError[] {
  const now = asObject(object['metadata']) ?? {};
  const before = asObject(old['metadata']) ?? {};
  const errors: FieldError[] = validateMaps(now, strategy);
  if (before['deletionTimestamp'] !== undefined) errors.push(...validateNoNewFinalizers(now, before));
  for (const field of immutableFields) {
    if (!equalJson(now[field], before[field]))
      errors.push(invalid(`metadata.${field}`, now[field], 'field is immutable'));
  }
  return errors;
}

function validateNoNewFinalizers(now: JsonObject, before: JsonObject): FieldError[] {
  const old = new Set(asArray(before['finalizers']));
  const added = asArray(now['finalizers']).filter((one) => !old.has(one));
  if (added.length === 0) return [];
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((one) => JSON.stringify(one)).join(', ')}}`;
  return [forbiddenField('metadata.finalizers', detail)];
}

/** Warnings about finalizers that were added without a domain. */
export function finalizerWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const before = new Set(asArray(asObject(old?.['metadata'])?.['finalizers']));
  const added = asArray(asObject(object['metadata'])?.['finalizers'])
    .map(String)
    .filter((one) => !before.has(one));
  return added
    .filter((one) => !one.includes('/') && !standardFinalizers.has(one))
    .map(
      (one) =>
        `metadata.finalizers: ${JSON.stringify(one)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    );
}

/** Removes duplicate owners, in place. Returns a warning if there were any. */
export function dedupOwners(object: JsonObject): string | undefined {
  const metadata = asObject(object['metadata']);
  const references = asObjects(metadata?.['ownerReferences']);
  const kept = references.filter((one, index) => references.findIndex((other) => equalJson(other, one)) === index);
  if (!metadata || kept.length === references.length) return undefined;
  const twice = new Set(references.filter((one) => !kept.includes(one)).map((one) => String(one['uid'])));
  metadata['ownerReferences'] = kept;
  return `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...twice].join(', ')}`;
}
