// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asObjects, asString, type JsonObject } from '../../json/json.ts';
import { type FieldError, forbiddenField, invalid, required } from '../../validation/field-error.ts';
import { oneOf } from '../core/container-validation.ts';
import { keepField, restoreStatus } from '../reset-fields.ts';
import type { Strategy } from '../strategy.ts';

const cpuAtEighty = (): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
});

const ruleDefaults = {
  scaleUp: () => ({
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  }),
  scaleDown: () => ({ selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] }),
};

export function autoscalerDefaults(object: JsonObject): void {
  const spec = asObject(object['spec']);
  if (!spec) return;
  spec['minReplicas'] ??= 1;
  if (asArray(spec['metrics']).length === 0) spec['metrics'] = [cpuAtEighty()];
  const behavior = asObject(spec['behavior']);
  if (!behavior) return;
  for (const [direction, defaults] of Object.entries(ruleDefaults)) {
    behavior[direction] = { ...defaults(), ...asObject(behavior[direction]) };
  }
}

/** The field of each type of metric. */
const sources: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

function validateMetric(metric: JsonObject, field: string): FieldError[] {
  const type = asString(metric['type']) ?? '';
  if (type === '') return [required(`${field}.type`, 'must specify a metric source type')];
  const source = sources[type];
  if (source === undefined) return oneOf(type, `${field}.type`, Object.keys(sources));
  if (metric[source] !== undefined) return [];
  return [required(`${field}.${source}`, 'must populate information for the given metric source')];
}

function validateTarget(target: JsonObject): FieldError[] {
  const version = asString(target['apiVersion']) ?? '';
  const field = 'spec.scaleTargetRef';
  return [
    ...['kind', 'name'].filter((key) => !target[key]).map((key) => required(`${field}.${key}`)),
    ...(version.includes('/') || target['kind'] === 'ReplicationController'
      ? []
      : [invalid(`${field}.apiVersion`, version, 'apiVersion must specify API group')]),
  ];
}

function validateAutoscaler(object: JsonObject): readonly FieldError[] {
  const spec = asObject(object['spec']) ?? {};
  const least = asNumber(spec['minReplicas']) ?? 1;
  const most = asNumber(spec['maxReplicas']) ?? 0;
  const metrics = asObjects(spec['metrics']);
  const errors: FieldError[] = [];
  if (least < 1) errors.push(invalid('spec.minReplicas', least, 'must be greater than or equal to 1'));
  if (most < 1) errors.push(required('spec.maxReplicas', 'must be set and greater than 0'));
  if (most < least) errors.push(invalid('spec.maxReplicas', most, 'must be greater than or equal to `minReplicas`'));
  errors.push(...validateTarget(asObject(spec['scaleTargetRef']) ?? {}));
  errors.push(...metrics.flatMap((metric, index) => validateMetric(metric, `spec.metrics[${index}]`)));
  if (least === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External')) {
    const why = 'must specify at least one Object or External metric to support scaling to zero replicas';
    errors.push(forbiddenField('spec.metrics', why));
  }
  return errors;
}

/** HorizontalPodAutoscalers: stored, but nothing measures and nothing scales. */
export const autoscalerStrategy: Strategy = {
  prepareForCreate(object) {
    object['status'] = { desiredReplicas: 0, currentMetrics: null };
  },
  prepareForUpdate: restoreStatus,
  prepareForStatusUpdate: (object, old) => keepField(object, old, 'spec'),
  validate: validateAutoscaler,
  validateUpdate: validateAutoscaler,
};
