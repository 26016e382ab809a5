// SPDX-License-Identifier: Apache-2.0
import { asNumber, asObject, asObjects, asString, equalJson, type Json, type JsonObject } from '../../json/json.ts';
import { matchesLabelSelector, validateLabelSelector } from '../../selectors/label-selector-object.ts';
import { amountErrors, isZeroAmount, wildPercentErrors } from '../../validation/amounts.ts';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../validation/field-error.ts';
import { validateLabels } from '../../validation/object-meta.ts';
import { oneOf } from '../core/container-validation.ts';
import { validatePodSpec } from '../core/pod-validation.ts';
import { validateClaimSpec } from '../core/storage.ts';
import { keepField, metadataOf, raiseGeneration, restoreStatus, withStatus } from '../reset-fields.ts';
import type { Strategy } from '../strategy.ts';

/** What all workloads have in common: a generation, and a status subresource that does not change labels. */
function workload(zeroStatus: JsonObject): Strategy {
  return {
    ...withStatus(zeroStatus),
    prepareForStatusUpdate(object, old) {
      keepField(object, old, 'spec');
      keepField(metadataOf(object), metadataOf(old), 'labels');
    },
  };
}

/** A number that must not be negative. */
export function nonNegative(value: Json | undefined, field: string): FieldError[] {
  const number = asNumber(value);
  return number !== undefined && number < 0 ? [invalid(field, number, 'must be greater than or equal to 0')] : [];
}

function validateSelector(spec: JsonObject, what: string): FieldError[] {
  const selector = asObject(spec['selector']);
  if (!selector) return [required('spec.selector')];
  const errors = validateLabelSelector(selector, 'spec.selector');
  if (Object.keys(selector).length === 0) {
    errors.push(invalid('spec.selector', selector, `empty selector is invalid for ${what}`));
  } else if (errors.length > 0) {
    errors.push(invalid('spec.selector', selector, 'invalid label selector'));
  }
  return errors;
}

/** Volumes that a StatefulSet creates for each of its pods. */
function claimNames(spec: JsonObject): readonly string[] {
  return asObjects(spec['volumeClaimTemplates']).map((claim) => String(metadataOf(claim)['name']));
}

function validateTemplate(spec: JsonObject, selectorIsGood: boolean): FieldError[] {
  const field = 'spec.template';
  const template = asObject(spec['template']) ?? {};
  const selector = asObject(spec['selector']);
  const labels = asObject(asObject(template['metadata'])?.['labels']);
  const podSpec = asObject(template['spec']) ?? {};
  const errors: FieldError[] = [];
  if (selectorIsGood && !(selector && matchesLabelSelector(selector, labels ?? {}))) {
    errors.push(invalid(`${field}.metadata.labels`, labels ?? null, '`selector` does not match template `labels`'));
  }
  errors.push(
    ...validateLabels(labels, `${field}.labels`),
    ...validatePodSpec(podSpec, `${field}.spec`, claimNames(spec)),
  );
  const policy = asString(podSpec['restartPolicy']);
  if (policy !== 'Always' && ['OnFailure', 'Never'].includes(policy ?? '')) {
    errors.push(notSupported(`${field}.spec.restartPolicy`, policy, ['Always']));
  }
  return errors;
}

function validateWorkload(
  object: JsonObject,
  what: string,
  more: (spec: JsonObject) => FieldError[],
): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const selector = validateSelector(spec, what);
  const broken = selector.some(({ reason }) => reason !== 'FieldValueRequired');
  return [
    ...nonNegative(spec['replicas'], 'spec.replicas'),
    ...selector,
    ...validateTemplate(spec, !broken),
    ...nonNegative(spec['minReadySeconds'], 'spec.minReadySeconds'),
    ...more(spec),
    ...nonNegative(spec['revisionHistoryLimit'], 'spec.revisionHistoryLimit'),
  ];
}

function immutableSelector(object: JsonObject, old: JsonObject): FieldError[] {
  const now = asObject(object['spec'])?.['selector'];
  return equalJson(now, asObject(old['spec'])?.['selector'])
    ? []
    : [invalid('spec.selector', now, 'field is immutable')];
}

function validateDeploymentStrategy(spec: JsonObject): FieldError[] {
  const strategy = asObject(spec['strategy']) ?? {};
  const rolling = asObject(strategy['rollingUpdate']);
  if (strategy['type'] === 'Recreate') {
    return rolling
      ? [forbiddenField('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'")]
      : [];
  }
  if (strategy['type'] !== 'RollingUpdate') {
    const shown = { Type: strategy['type'] ?? '', RollingUpdate: null };
    return [notSupported('spec.strategy', shown, ['Recreate', 'RollingUpdate'])];
  }
  return validateRolling(rolling ?? {}, 'spec.strategy.rollingUpdate');
}

function validateRolling({ maxSurge, maxUnavailable }: JsonObject, field: string): FieldError[] {
  const place = `${field}.maxUnavailable`;
  const errors = [...amountErrors(maxUnavailable, place), ...amountErrors(maxSurge, `${field}.maxSurge`)];
  if (isZeroAmount(maxSurge) && isZeroAmount(maxUnavailable)) {
    errors.push(invalid(place, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  return [...errors, ...wildPercentErrors(maxUnavailable, place)];
}

function validateProgress(spec: JsonObject): FieldError[] {
  const seconds = asNumber(spec['progressDeadlineSeconds']);
  const field = 'spec.progressDeadlineSeconds';
  if (seconds === undefined) return [];
  const errors = nonNegative(seconds, field);
  if (seconds > (asNumber(spec['minReadySeconds']) ?? 0)) return errors;
  return [...errors, invalid(field, seconds, 'must be greater than minReadySeconds')];
}

const validateDeployment = (object: JsonObject) =>
  validateWorkload(object, 'deployment', (spec) => [...validateDeploymentStrategy(spec), ...validateProgress(spec)]);

export const deploymentStrategy: Strategy = {
  ...workload({}),
  prepareForUpdate(object, old) {
    restoreStatus(object, old);
    // Annotations are copied to ReplicaSets, so changing them increases the generation.
    const same = equalJson(metadataOf(object)['annotations'], metadataOf(old)['annotations']);
    if (same) raiseGeneration(object, old);
    else metadataOf(object)['generation'] = (asNumber(metadataOf(old)['generation']) ?? 0) + 1;
  },
  validate: validateDeployment,
  validateUpdate: (object, old) => [...validateDeployment(object), ...immutableSelector(object, old)],
};

const validateReplicaSet = (object: JsonObject) => validateWorkload(object, 'replicaset', () => []);

export const replicaSetStrategy: Strategy = {
  ...workload({ replicas: 0 }),
  validate: validateReplicaSet,
  validateUpdate: (object, old) => [...validateReplicaSet(object), ...immutableSelector(object, old)],
};

function validateStatefulSetFields(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const policy = asString(spec['podManagementPolicy']) ?? '';
  if (!['OrderedReady', 'Parallel'].includes(policy)) {
    errors.push(invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"));
  }
  const strategy = asObject(spec['updateStrategy']) ?? {};
  const rolling = asObject(strategy['rollingUpdate']);
  if (!['RollingUpdate', 'OnDelete'].includes(asString(strategy['type']) ?? '')) {
    const shown = { Type: strategy['type'] ?? '', RollingUpdate: shownRolling(rolling) };
    errors.push(invalid('spec.updateStrategy', shown, "must be 'RollingUpdate' or 'OnDelete'"));
  } else if (rolling && strategy['type'] === 'OnDelete') {
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    errors.push(invalid('spec.updateStrategy.rollingUpdate', shownRolling(rolling), detail));
  } else errors.push(...nonNegative(rolling?.['partition'], 'spec.updateStrategy.rollingUpdate.partition'));
  const retention = asObject(spec['persistentVolumeClaimRetentionPolicy']) ?? {};
  for (const key of ['whenDeleted', 'whenScaled']) {
    const field = `spec.persistentVolumeClaimRetentionPolicy.${key}`;
    errors.push(...oneOf(retention[key], field, ['Retain', 'Delete']));
  }
  for (const [index, claim] of asObjects(spec['volumeClaimTemplates']).entries()) {
    const field = `spec.volumeClaimTemplates[${index}].spec`;
    errors.push(...validateClaimSpec(asObject(claim['spec']) ?? {}, field));
  }
  return [...errors, ...nonNegative(asObject(spec['ordinals'])?.['start'], 'spec.ordinals.start')];
}

function shownRolling(rolling: JsonObject | undefined): JsonObject | null {
  return rolling ? { Partition: rolling['partition'] ?? 0, MaxUnavailable: rolling['maxUnavailable'] ?? null } : null;
}

const statefulSetChanges =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', " +
  "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

const validateStatefulSet = (object: JsonObject) => validateWorkload(object, 'statefulset', validateStatefulSetFields);

export const statefulSetStrategy: Strategy = {
  ...workload({ replicas: 0, availableReplicas: 0 }),
  validate: validateStatefulSet,
  validateUpdate(object, old) {
    const fixed = (one: JsonObject) => {
      const spec = { ...asObject(one['spec']) };
      for (const key of changeable) delete spec[key];
      return spec;
    };
    const errors = [...validateStatefulSet(object)];
    if (!equalJson(fixed(object), fixed(old))) errors.push(forbiddenField('spec', statefulSetChanges));
    return errors;
  },
};

const validateDaemonSet = (object: JsonObject) => validateWorkload(object, 'daemonset', () => []);

export const daemonSetStrategy: Strategy = {
  ...workload({ currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }),
  validate: validateDaemonSet,
  validateUpdate: (object, old) => [...validateDaemonSet(object), ...immutableSelector(object, old)],
};
