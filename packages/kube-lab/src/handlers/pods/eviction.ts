// SPDX-License-Identifier: Apache-2.0
import { asNumber, asObject, asString, ensureObject, getIn, isObject, type JsonObject } from '../../json/json.ts';
import { timestamp } from '../../json/timestamp.ts';
import { storageKey } from '../../registry/served-resource.ts';
import { matchesLabelSelector } from '../../selectors/label-selector-object.ts';
import { ApiError, badRequest, internalError, notFound } from '../../server/api-error.ts';
import { type ApiResponse, jsonResponse } from '../../server/api-request.ts';
import type { Call } from '../../server/core.ts';
import { updateStored } from '../../server/system-writer.ts';
import type { StoredObject } from '../../storage/stored-object.ts';
import { removeObject } from '../delete.ts';
import type { DeleteOptions } from '../delete-options.ts';
import { parseJsonText } from '../object-body.ts';
import { isDryRun } from '../write-options.ts';

const budgets = 'poddisruptionbudgets.policy';

/** POST to `pods/eviction`: deletes a pod if its PodDisruptionBudget allows one more disruption. */
export function evictPod(call: Call): ApiResponse {
  const { core, info, resource } = call;
  const body = parseJsonText(call.request.body ?? '');
  const eviction = isObject(body) ? body : {};
  const given = asString(getIn(eviction, 'metadata', 'name')) ?? '';
  if (given !== '' && given !== info.name) throw badRequest('name in URL does not match name in Eviction object');
  const key = storageKey(resource, info.namespace, info.name);
  const pod = core.store.get('pods', key);
  if (!pod) throw notFound(resource, info.name);
  const options = optionsOf(call, asObject(eviction['deleteOptions']) ?? {});
  if (!isFree(pod.object)) consumeBudget(call, pod);
  removeObject(call, key, options);
  return jsonResponse(
    201,
    JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }),
  );
}

function optionsOf(call: Call, given: JsonObject): DeleteOptions {
  const preconditions = asObject(given['preconditions']) ?? {};
  return {
    gracePeriodSeconds: asNumber(given['gracePeriodSeconds']),
    propagation: asString(given['propagationPolicy']) as DeleteOptions['propagation'],
    uid: asString(preconditions['uid']),
    resourceVersion: asString(preconditions['resourceVersion']),
    dryRun: isDryRun(call),
  };
}

/** True for pods that can be evicted without a disruption budget: they do not run, or are being deleted. */
function isFree(pod: JsonObject): boolean {
  const phase = asString(getIn(pod, 'status', 'phase'));
  return (
    phase === 'Succeeded' ||
    phase === 'Failed' ||
    phase === 'Pending' ||
    getIn(pod, 'metadata', 'deletionTimestamp') !== undefined
  );
}

function consumeBudget(call: Call, pod: StoredObject): void {
  const { core, info } = call;
  const labels = asObject(getIn(pod.object, 'metadata', 'labels')) ?? {};
  const covering = core.store.list(budgets, `${info.namespace}/`).filter(({ object }) => {
    const selector = asObject(getIn(object, 'spec', 'selector'));
    return selector !== undefined && matchesLabelSelector(selector, labels);
  });
  const [budget] = covering;
  if (covering.length > 1) {
    throw internalError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  if (budget) takeOne(call, budget);
}

function takeOne(call: Call, budget: StoredObject): void {
  const { core, info } = call;
  const name = budget.key.slice(budget.key.indexOf('/') + 1);
  const status = asObject(budget.object['status']) ?? {};
  const generation = asNumber(getIn(budget.object, 'metadata', 'generation')) ?? 0;
  if ((asNumber(status['observedGeneration']) ?? 0) < generation) {
    throw tooMany(name, `The disruption budget ${name} is still being processed by the server.`, 10);
  }
  const allowed = asNumber(status['disruptionsAllowed']) ?? 0;
  if (allowed <= 0) {
    const needed = asNumber(status['desiredHealthy']) ?? 0;
    const healthy = asNumber(status['currentHealthy']) ?? 0;
    throw tooMany(
      name,
      `The disruption budget ${name} needs ${needed} healthy pods and has ${healthy} currently`,
      undefined,
    );
  }
  const resource = core.registry.find('policy', 'v1', 'poddisruptionbudgets');
  if (!resource || isDryRun(call)) return;
  updateStored(
    core,
    resource,
    budget.key,
    (object) => {
      const next = ensureObject(object, 'status');
      next['disruptionsAllowed'] = allowed - 1;
      ensureObject(next, 'disruptedPods')[info.name] = timestamp(core.clock);
      return true;
    },
    { subresource: 'status' },
  );
}

function tooMany(_name: string, why: string, retryAfterSeconds: number | undefined): ApiError {
  const message = "Cannot evict pod as it would violate the pod's disruption budget.";
  return new ApiError(429, 'TooManyRequests', message, {
    causes: [{ reason: 'DisruptionBudget', message: why }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
