// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asString, cloneJson, equalJson, getIn, type JsonObject } from '../../json/json.ts';
import { timestamp } from '../../json/timestamp.ts';
import { quantityNanos } from '../../schema/quantity-text.ts';
import { validateLabelSelector } from '../../selectors/label-selector-object.ts';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../validation/field-error.ts';
import { subdomainErrors } from '../../validation/names.ts';
import { validateNodeSelector } from '../../validation/node-selector.ts';
import { keepField, restoreStatus } from '../reset-fields.ts';
import type { Strategy } from '../strategy.ts';
import { oneOf } from './container-validation.ts';

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** The defaults of a PVC. */
export function claimDefaults(object: JsonObject): void {
  const spec = asObject(object['spec']);
  if (spec) spec['volumeMode'] ??= 'Filesystem';
  const status = asObject(object['status']);
  if (status) status['phase'] ??= 'Pending';
}

export const claimStrategy: Strategy = {
  returnsDeleted: true,
  prepareForCreate(object) {
    object['status'] = { phase: 'Pending' };
  },
  prepareForUpdate: restoreStatus,
  prepareForStatusUpdate: (object, old) => keepField(object, old, 'spec'),
  validate: validateClaim,
  validateUpdate: (object, old) => [...validateClaim(object), ...validateClaimChange(object, old)],
};

function validateModes(modes: readonly unknown[], field: string, detail: string): FieldError[] {
  if (modes.length === 0) return [required(field, detail)];
  return modes
    .map(String)
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => notSupported(field, mode, accessModes));
}

const volumeModes = ['Block', 'Filesystem'];

function validateClass(spec: JsonObject, field: string): FieldError[] {
  const name = asString(spec['storageClassName']) ?? '';
  if (name === '') return [];
  return subdomainErrors(name).map((detail) => invalid(`${field}.storageClassName`, name, detail));
}

/** The validation errors of a PVC. */
function validateClaim(object: JsonObject): readonly FieldError[] {
  return validateClaimSpec(asObject(object['spec']) ?? {}, 'spec');
}

/** The validation errors of a PVC's requests. */
export function validateClaimSpec(spec: JsonObject, field: string): FieldError[] {
  const storage = getIn(spec, 'resources', 'requests', 'storage');
  const errors = validateModes(
    asArray(spec['accessModes']),
    `${field}.accessModes`,
    'at least 1 access mode is required',
  );
  errors.push(...validateLabelSelector(asObject(spec['selector']) ?? {}, `${field}.selector`));
  const place = `${field}.resources[storage]`;
  if (storage === undefined) errors.push(required(place));
  else if ((quantityNanos(String(storage)) ?? 0n) <= 0n) {
    errors.push(invalid(place, storage, 'must be greater than zero'));
  }
  const mode = oneOf(spec['volumeMode'], `${field}.volumeMode`, volumeModes);
  return [...errors, ...validateClass(spec, field), ...mode];
}

const claimChanges =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n';

function validateClaimChange(object: JsonObject, old: JsonObject): FieldError[] {
  const spec = cloneJson(asObject(object['spec']) ?? {});
  const before = cloneJson(asObject(old['spec']) ?? {});
  const errors: FieldError[] = [];
  const isBound = getIn(old, 'status', 'phase') === 'Bound';
  const amount = (from: JsonObject) =>
    quantityNanos(String(getIn(from, 'resources', 'requests', 'storage') ?? '0')) ?? 0n;
  if (isBound && amount(spec) < amount(before)) {
    errors.push(forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity'));
  }
  // Not compared, because the volume controller sets these fields on PVCs without them.
  if (!before['volumeName']) delete spec['volumeName'];
  if (!before['storageClassName']) delete spec['storageClassName'];
  if (isBound) {
    for (const one of [spec, before]) delete asObject(one['resources'])?.['requests'];
  }
  delete spec['volumeAttributesClassName'];
  delete before['volumeAttributesClassName'];
  if (!equalJson(spec, before)) errors.push(forbiddenField('spec', claimChanges));
  return errors;
}

/** The defaults of a PersistentVolume. */
export function volumeDefaults(object: JsonObject): void {
  const spec = asObject(object['spec']);
  if (!spec) return;
  spec['persistentVolumeReclaimPolicy'] ??= 'Retain';
  spec['volumeMode'] ??= 'Filesystem';
  const hostPath = asObject(spec['hostPath']);
  if (hostPath) hostPath['type'] ??= '';
  const status = asObject(object['status']);
  if (status) status['phase'] ??= 'Pending';
}

const volumeSettings = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

function validateVolume(object: JsonObject): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const capacity = asObject(spec['capacity']);
  const errors = validateModes(asArray(spec['accessModes']), 'spec.accessModes', '');
  if (!capacity) errors.push(required('spec.capacity'));
  if (capacity?.['storage'] === undefined) errors.push(notSupported('spec.capacity', capacity ?? null, ['storage']));
  const sources = Object.keys(spec).filter((key) => !volumeSettings.has(key));
  if (sources.length === 0) errors.push(required('spec', 'must specify a volume type'));
  const policies = ['Delete', 'Recycle', 'Retain'];
  errors.push(...oneOf(spec['persistentVolumeReclaimPolicy'], 'spec.persistentVolumeReclaimPolicy', policies));
  errors.push(...validateClass(spec, 'spec'), ...oneOf(spec['volumeMode'], 'spec.volumeMode', volumeModes));
  const hostPath = asObject(spec['hostPath']);
  if (hostPath && !hostPath['path']) errors.push(required('spec.hostPath.path'));
  const nodes = asObject(getIn(spec, 'nodeAffinity', 'required'));
  if (nodes) errors.push(...validateNodeSelector(nodes, 'spec.nodeAffinity.required'));
  for (const source of sources.slice(1)) {
    errors.push(forbiddenField(`spec.${source}`, 'may not specify more than 1 volume type'));
  }
  return errors;
}

export const volumeStrategy: Strategy = {
  returnsDeleted: true,
  prepareForCreate(object, { clock }) {
    object['status'] = { phase: 'Pending', lastPhaseTransitionTime: timestamp(clock) };
  },
  prepareForUpdate: restoreStatus,
  prepareForStatusUpdate: (object, old) => keepField(object, old, 'spec'),
  validate: validateVolume,
  validateUpdate(object, old) {
    const source = (one: JsonObject) =>
      Object.fromEntries(Object.entries(asObject(one['spec']) ?? {}).filter(([key]) => !volumeSettings.has(key)));
    const field = 'spec.persistentvolumesource';
    const fixed = equalJson(source(object), source(old))
      ? []
      : [forbiddenField(field, `${field} is immutable after creation\n`)];
    return [...validateVolume(object), ...fixed];
  },
};
