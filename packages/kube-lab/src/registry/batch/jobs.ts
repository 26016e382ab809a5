// SPDX-License-Identifier: Apache-2.0
import { asObject, asObjects, asString, ensureObject, equalJson, type JsonObject } from '../../json/json.ts';
import { matchesLabelSelector } from '../../selectors/label-selector-object.ts';
import { type FieldError, invalid, notSupported, required } from '../../validation/field-error.ts';
import { nonNegative } from '../apps/workloads.ts';
import { oneOf } from '../core/container-validation.ts';
import { templateDefaults } from '../core/pod-defaults.ts';
import { validatePodSpec } from '../core/pod-validation.ts';
import { metadataOf, withStatus } from '../reset-fields.ts';
import type { Strategy } from '../strategy.ts';
import { scheduleProblem } from './schedule.ts';

function jobSpecDefaults(spec: JsonObject): void {
  const podSpec = asObject(asObject(spec['template'])?.['spec']);
  // A Job must set a restart policy. Without one it gets the default of other pods, which the validation then refuses.
  const given = podSpec?.['restartPolicy'];
  templateDefaults(spec);
  if (podSpec && given === undefined) podSpec['restartPolicy'] = 'Always';
  spec['completionMode'] ??= 'NonIndexed';
  if (spec['completions'] === undefined && spec['parallelism'] === undefined) spec['completions'] = 1;
  spec['parallelism'] ??= 1;
  spec['backoffLimit'] ??= 6;
  spec['suspend'] ??= false;
  spec['podReplacementPolicy'] ??= spec['podFailurePolicy'] ? 'Failed' : 'TerminatingOrFailed';
}

export function jobDefaults(object: JsonObject): void {
  const spec = asObject(object['spec']);
  if (!spec) return;
  jobSpecDefaults(spec);
  spec['manualSelector'] ??= false;
  const labels = asObject(asObject(asObject(spec['template'])?.['metadata'])?.['labels']);
  const metadata = asObject(object['metadata']);
  if (metadata && labels && Object.keys(labels).length > 0) metadata['labels'] ??= { ...labels };
}

const uidLabel = 'batch.kubernetes.io/controller-uid';
const nameLabel = 'batch.kubernetes.io/job-name';

/** Sets the labels by which Jobs find their pods. */
function generateSelector(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  if (spec['manualSelector'] === true) return;
  const metadata = metadataOf(object);
  const labels = ensureObject(ensureObject(ensureObject(spec, 'template'), 'metadata'), 'labels');
  const uid = String(metadata['uid']);
  const name = String(metadata['name']);
  Object.assign(labels, { [uidLabel]: uid, [nameLabel]: name, 'controller-uid': uid, 'job-name': name });
  ensureObject(ensureObject(spec, 'selector'), 'matchLabels')[uidLabel] = uid;
  if (Object.keys(asObject(metadata['labels']) ?? {}).length === 0) metadata['labels'] = { ...labels };
}

function validateJobSpec(spec: JsonObject, field: string): FieldError[] {
  const podSpec = asObject(asObject(spec['template'])?.['spec']) ?? {};
  const errors: FieldError[] = [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
  ].flatMap((key) => nonNegative(spec[key], `${field}.${key}`));
  errors.push(...validateCompletion(spec, field), ...validateFailurePolicy(spec, `${field}.podFailurePolicy`));
  errors.push(...validatePodSpec(podSpec, `${field}.template.spec`));
  const policy = asString(podSpec['restartPolicy']) ?? '';
  const place = `${field}.template.spec.restartPolicy`;
  if (policy === 'Always' || policy === '') errors.push(required(place, 'valid values: "OnFailure", "Never"'));
  return errors;
}

function validateCompletion(spec: JsonObject, field: string): FieldError[] {
  const errors = oneOf(spec['completionMode'], `${field}.completionMode`, ['NonIndexed', 'Indexed']);
  if (spec['completionMode'] !== 'Indexed' || spec['completions'] !== undefined) return errors;
  return [...errors, required(`${field}.completions`, 'when completion mode is Indexed')];
}

const failureActions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];

function validateFailurePolicy(spec: JsonObject, field: string): FieldError[] {
  return asObjects(asObject(spec['podFailurePolicy'])?.['rules']).flatMap((rule, index) => {
    const action = asString(rule['action']) ?? '';
    const place = `${field}.rules[${index}].action`;
    if (action === '') {
      const listed = failureActions.map((one) => JSON.stringify(one)).join(' ');
      return [required(place, `valid values: [${listed}]`)];
    }
    if (action === 'FailIndex' && spec['backoffLimitPerIndex'] === undefined) {
      return [invalid(place, action, 'requires the backoffLimitPerIndex to be set')];
    }
    return oneOf(action, place, failureActions);
  });
}

function validateJob(object: JsonObject): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  return [...validateJobSpec(spec, 'spec'), ...validateJobSelector(object, spec)];
}

function validateJobSelector(object: JsonObject, spec: JsonObject): FieldError[] {
  const selector = asObject(spec['selector']);
  const labels = asObject(asObject(asObject(spec['template'])?.['metadata'])?.['labels']) ?? {};
  if (!selector) return [required('spec.selector')];
  const errors: FieldError[] = [];
  const uid = metadataOf(object)['uid'];
  const expected = { matchLabels: { [uidLabel]: uid ?? '' } };
  if (spec['manualSelector'] !== true && !equalJson(selector, expected)) {
    errors.push(invalid('spec.selector', selector, '`selector` not auto-generated'));
  }
  if (!matchesLabelSelector(selector, labels)) {
    errors.push(invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
  }
  return errors;
}

const immutableJobFields = [
  'completions',
  'selector',
  'template',
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
];

const newJob = withStatus({});

export const jobStrategy: Strategy = {
  defaultPropagation: 'orphan',
  orphanWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  ...newJob,
  prepareForCreate(object) {
    generateSelector(object);
    newJob.prepareForCreate(object);
  },
  validate: validateJob,
  validateUpdate(object, old) {
    const now = asObject(object['spec']) ?? {};
    const before = asObject(old['spec']) ?? {};
    const isOpen = before['suspend'] === true && asObject(old['status'])?.['startTime'] === undefined;
    const changed = immutableJobFields
      .filter((key) => !(key === 'template' && isOpen) && !equalJson(now[key], before[key]))
      .map((key) => invalid(`spec.${key}`, now[key], 'field is immutable'));
    return [...validateJobSpec(now, 'spec'), ...changed];
  },
};

export function cronJobDefaults(object: JsonObject): void {
  const spec = asObject(object['spec']);
  if (!spec) return;
  const jobSpec = asObject(asObject(spec['jobTemplate'])?.['spec']);
  if (jobSpec) templateDefaults(jobSpec);
  spec['concurrencyPolicy'] ??= 'Allow';
  spec['suspend'] ??= false;
  spec['successfulJobsHistoryLimit'] ??= 3;
  spec['failedJobsHistoryLimit'] ??= 1;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function validateCronJob(object: JsonObject): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const schedule = asString(spec['schedule']) ?? '';
  const errors: FieldError[] = [];
  if (schedule === '') errors.push(required('spec.schedule'));
  else {
    const problem = scheduleProblem(schedule);
    if (problem) errors.push(invalid('spec.schedule', schedule, problem));
    if (schedule.includes('TZ')) {
      const detail = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
      errors.push(invalid('spec.schedule', schedule, detail));
    }
  }
  const zone = asString(spec['timeZone']);
  if (zone !== undefined && !isTimeZone(zone)) errors.push(invalid('spec.timeZone', zone, `unknown time zone ${zone}`));
  errors.push(...nonNegative(spec['startingDeadlineSeconds'], 'spec.startingDeadlineSeconds'));
  const policies = ['Allow', 'Forbid', 'Replace'];
  if (!spec['concurrencyPolicy']) errors.push(notSupported('spec.concurrencyPolicy', '', policies));
  errors.push(...oneOf(spec['concurrencyPolicy'], 'spec.concurrencyPolicy', policies));
  errors.push(...validateJobSpec(asObject(asObject(spec['jobTemplate'])?.['spec']) ?? {}, 'spec.jobTemplate.spec'));
  for (const key of ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit']) {
    errors.push(...nonNegative(spec[key], `spec.${key}`));
  }
  if (String(metadataOf(object)['name'] ?? '').length > 52) {
    errors.push(invalid('metadata.name', metadataOf(object)['name'], 'must be no more than 52 characters'));
  }
  return errors;
}

export const cronJobStrategy: Strategy = {
  ...withStatus({}),
  validate: validateCronJob,
  validateUpdate: validateCronJob,
};
