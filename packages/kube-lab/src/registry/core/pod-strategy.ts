// SPDX-License-Identifier: Apache-2.0
import { asNumber, asObject, asObjects, asString, equalJson, type JsonObject } from '../../json/json.ts';
import { keepField, metadataOf, restoreStatus } from '../keep.ts';
import type { Strategy } from '../strategy.ts';
import { validatePod, validatePodUpdate } from './pod-validation.ts';
import { qosClass } from './qos.ts';

/** Pods: a grace period on deletion, an almost immutable spec, a status only through its own door. */
export const podStrategy: Strategy = {
  returnsDeleted: true,
  prepareForCreate(object) {
    object['status'] = { phase: 'Pending', qosClass: qosClass(asObject(object['spec']) ?? {}) };
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
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  gracePeriod(object, requested) {
    const spec = asObject(object['spec']) ?? {};
    const phase = asString(asObject(object['status'])?.['phase']);
    // What never ran or has ended has nothing to stop.
    if (!spec['nodeName'] || phase === 'Failed' || phase === 'Succeeded') return 0;
    return requested ?? asNumber(spec['terminationGracePeriodSeconds']) ?? 30;
  },
};

/** True if all containers of a pod have ended. */
export function isFinished(pod: JsonObject): boolean {
  const phase = asString(asObject(pod['status'])?.['phase']);
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Containers of every kind in a pod's spec. */
export function allContainers(spec: JsonObject): readonly JsonObject[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) => asObjects(spec[list]));
}
