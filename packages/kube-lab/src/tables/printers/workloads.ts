// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asString, getIn, type JsonObject } from '../../json/json.ts';
import { selectorText } from '../../selectors/selector-text.ts';
import { humanDuration } from '../human-duration.ts';
import {
  age,
  conditionStatus,
  containerCells,
  countAt,
  labelsText,
  nameOf,
  orNone,
  type Printer,
  since,
} from '../printer.ts';

function selectorOf(object: JsonObject): string {
  return selectorText(asObject(getIn(object, 'spec', 'selector')) ?? {});
}

function templateOf(object: JsonObject) {
  return getIn(object, 'spec', 'template');
}

export const deploymentCells: Printer = (object, now) => [
  nameOf(object),
  `${countAt(object, 'status', 'readyReplicas')}/${countAt(object, 'spec', 'replicas')}`,
  countAt(object, 'status', 'updatedReplicas'),
  countAt(object, 'status', 'availableReplicas'),
  age(object, now),
  ...containerCells(templateOf(object)),
  selectorOf(object),
];

export const replicaSetCells: Printer = (object, now) => [
  nameOf(object),
  countAt(object, 'spec', 'replicas'),
  countAt(object, 'status', 'replicas'),
  countAt(object, 'status', 'readyReplicas'),
  age(object, now),
  ...containerCells(templateOf(object)),
  selectorOf(object),
];

export const statefulSetCells: Printer = (object, now) => [
  nameOf(object),
  `${countAt(object, 'status', 'readyReplicas')}/${countAt(object, 'spec', 'replicas')}`,
  age(object, now),
  ...containerCells(templateOf(object)),
];

export const daemonSetCells: Printer = (object, now) => [
  nameOf(object),
  countAt(object, 'status', 'desiredNumberScheduled'),
  countAt(object, 'status', 'currentNumberScheduled'),
  countAt(object, 'status', 'numberReady'),
  countAt(object, 'status', 'updatedNumberScheduled'),
  countAt(object, 'status', 'numberAvailable'),
  labelsText(getIn(templateOf(object), 'spec', 'nodeSelector')),
  age(object, now),
  ...containerCells(templateOf(object)),
  selectorOf(object),
];

export const jobCells: Printer = (object, now) => [
  nameOf(object),
  jobStatus(object),
  completionsOf(object),
  durationOf(object, now),
  age(object, now),
  ...containerCells(templateOf(object)),
  selectorOf(object),
];

function jobStatus(object: JsonObject): string {
  const has = (type: string) => conditionStatus(object, type) === 'True';
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (getIn(object, 'metadata', 'deletionTimestamp') !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running';
}

function completionsOf(object: JsonObject): string {
  const succeeded = countAt(object, 'status', 'succeeded');
  const wanted = asNumber(getIn(object, 'spec', 'completions'));
  if (wanted !== undefined) return `${succeeded}/${wanted}`;
  const parallelism = countAt(object, 'spec', 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationOf(object: JsonObject, now: number): string {
  const start = asString(getIn(object, 'status', 'startTime'));
  const end = asString(getIn(object, 'status', 'completionTime'));
  if (start === undefined) return '';
  return humanDuration((end === undefined ? now : Date.parse(end)) - Date.parse(start));
}

export const cronJobCells: Printer = (object, now) => {
  const last = getIn(object, 'status', 'lastScheduleTime');
  return [
    nameOf(object),
    orNone(getIn(object, 'spec', 'schedule'), ''),
    orNone(getIn(object, 'spec', 'timeZone')),
    getIn(object, 'spec', 'suspend') === true ? 'True' : 'False',
    asArray(getIn(object, 'status', 'active')).length,
    last === undefined ? '<none>' : since(last, now),
    age(object, now),
    ...containerCells(getIn(object, 'spec', 'jobTemplate', 'spec', 'template')),
    orNone(selectorText(asObject(getIn(object, 'spec', 'jobTemplate', 'spec', 'selector')) ?? {})),
  ];
};
