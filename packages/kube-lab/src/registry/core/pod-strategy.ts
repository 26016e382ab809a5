// SPDX-License-Identifier: Apache-2.0
import { asNumber, asObject, asObjects, asString, cloneJson, equalJson, type JsonObject } from '../../json/json.ts';
import { invalid } from '../../validation/field-error.ts';
import { keepField, metadataOf, restoreStatus } from '../reset-fields.ts';
import type { Strategy } from '../strategy.ts';
import { validatePod, validatePodUpdate } from './pod-validation.ts';
import { qosClass } from './qos.ts';

/** The condition that a pod with scheduling gates has from the start. */
function gatedConditions(spec: JsonObject): JsonObject {
  if (asObjects(spec['schedulingGates']).length === 0) return {};
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: null,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
  return { conditions: [condition] };
}

/** Pods: a grace period on deletion, an almost immutable spec, a status subresource. */
export const podStrategy: Strategy = {
  returnsDeleted: true,
  sharesUnchanged: true,
  prepareForCreate(object) {
    const spec = asObject(object['spec']) ?? {};
    object['status'] = { phase: 'Pending', ...gatedConditions(spec), qosClass: qosClass(spec) };
    metadataOf(object)['generation'] = 1;
  },
  prepareForUpdate(object, old) {
    restoreStatus(object, old);
    if (equalJson(object['spec'], old['spec'])) return;
    metadataOf(object)['generation'] = (asNumber(metadataOf(old)['generation']) ?? 0) + 1;
  },
  prepareForStatusUpdate(object, old) {
    keepField(object, old, 'spec');
    keepField(metadataOf(object), metadataOf(old), 'ownerReferences');
    const status = asObject(object['status']);
    if (status && !status['qosClass']) keepField(status, asObject(old['status']) ?? {}, 'qosClass');
  },
  prepareForSubresource(name, object, old) {
    restoreStatus(object, old);
    const spec = cloneJson(asObject(old['spec']) ?? {});
    const wanted = asObject(object['spec']) ?? {};
    if (name === 'ephemeralcontainers') keepField(spec, wanted, 'ephemeralContainers');
    if (name === 'resize') takeResources(spec, wanted);
    object['spec'] = spec;
    if (equalJson(spec, old['spec'])) return;
    metadataOf(object)['generation'] = (asNumber(metadataOf(old)['generation']) ?? 0) + 1;
  },
  validateSubresource(name, object, old) {
    const errors = [...validatePod(object)];
    const before = qosClass(asObject(old['spec']) ?? {});
    if (name === 'resize' && qosClass(asObject(object['spec']) ?? {}) !== before) {
      errors.push(invalid('spec', before, 'Pod QOS Class may not change as a result of resizing'));
    }
    return errors;
  },
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  gracePeriod(object, requested) {
    const spec = asObject(object['spec']) ?? {};
    const phase = asString(asObject(object['status'])?.['phase']);
    // A pod that never ran or has ended needs no grace period.
    if (!spec['nodeName'] || phase === 'Failed' || phase === 'Succeeded') return 0;
    return requested ?? asNumber(spec['terminationGracePeriodSeconds']) ?? 30;
  },
};

/** A resize changes container resources and nothing else. */
function takeResources(spec: JsonObject, wanted: JsonObject): void {
  for (const container of asObjects(spec['containers'])) {
    const same = asObjects(wanted['containers']).find(({ name }) => name === container['name']);
    if (!same) continue;
    keepField(container, same, 'resources');
    keepField(container, same, 'resizePolicy');
  }
}
