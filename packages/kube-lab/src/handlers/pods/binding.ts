// SPDX-License-Identifier: Apache-2.0
import {
  asArray,
  asObject,
  asObjects,
  asString,
  ensureObject,
  getIn,
  isObject,
  type JsonObject,
} from '../../json/json.ts';
import { timestamp } from '../../json/timestamp.ts';
import { storageKey } from '../../registry/served-resource.ts';
import { conflict, notFound } from '../../server/api-error.ts';
import { type ApiResponse, jsonResponse } from '../../server/api-request.ts';
import type { Call } from '../../server/core.ts';
import { updateStored } from '../../server/system-writer.ts';
import { type FieldError, invalidObject, notSupported, required } from '../../validation/field-error.ts';
import { writerOf } from '../field-tracking.ts';
import { parseJsonText } from '../object-body.ts';
import { isDryRun } from '../write-options.ts';

/** POST to `pods/binding`: the scheduler sets the node of a pod. */
export function bindPod(call: Call, name: string): ApiResponse {
  const { core, info } = call;
  const body = parseJsonText(call.request.body ?? '');
  const binding = isObject(body) ? body : {};
  const target = asObject(binding['target']) ?? {};
  const node = checkedTarget(target, name);
  const pods = core.registry.find('', 'v1', 'pods');
  const key = pods && storageKey(pods, info.namespace, name);
  const stored = key === undefined ? undefined : core.store.get('pods', key);
  if (!pods || key === undefined || !stored) throw notFound({ group: '', plural: 'pods' }, name);
  refuseIfBound(name, stored.object);
  if (!isDryRun(call)) bind(call, pods, key, node, asObject(binding['metadata']) ?? {});
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  return jsonResponse(201, JSON.stringify(status));
}

function checkedTarget(target: JsonObject, name: string): string {
  const kind = asString(target['kind']) ?? '';
  const node = asString(target['name']) ?? '';
  const errors: FieldError[] = [];
  if (kind !== '' && kind !== 'Node') errors.push(notSupported('target.kind', kind, ['Node', '<empty>']));
  if (node === '') errors.push(required('target.name'));
  if (errors.length > 0) throw invalidObject({ group: '', kind: 'Binding' }, name, errors);
  return node;
}

function refuseIfBound(name: string, pod: JsonObject): void {
  const resource = { group: '', plural: 'pods/binding' };
  const present = asString(getIn(pod, 'spec', 'nodeName')) ?? '';
  if (getIn(pod, 'metadata', 'deletionTimestamp') !== undefined) {
    throw conflict(resource, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (asObjects(getIn(pod, 'spec', 'schedulingGates')).length > 0) {
    throw conflict(resource, name, `pod ${name} has non-empty .spec.schedulingGates`);
  }
  if (present !== '')
    throw conflict(resource, name, `pod ${name} is already assigned to node ${JSON.stringify(present)}`);
}

function bind(
  call: Call,
  pods: Parameters<typeof updateStored>[1],
  key: string,
  node: string,
  given: JsonObject,
): void {
  const change = (pod: JsonObject) => {
    ensureObject(pod, 'spec')['nodeName'] = node;
    const metadata = ensureObject(pod, 'metadata');
    for (const field of ['annotations', 'labels']) {
      const added = asObject(given[field]);
      if (added) Object.assign(ensureObject(metadata, field), added);
    }
    const status = ensureObject(pod, 'status');
    const others = asObjects(status['conditions']).filter((one) => one['type'] !== 'PodScheduled');
    const scheduled = {
      type: 'PodScheduled',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: timestamp(call.core.clock),
    };
    status['conditions'] = [...asArray(others), scheduled];
    return true;
  };
  updateStored(call.core, pods, key, change, {
    manager: writerOf(call).manager,
    subresource: 'binding',
    untracked: true,
  });
}
