// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@operator-parts/kube';
import { asObject, asObjects, asString, getIn, type JsonObject } from '../../json/json.ts';
import { storageKey } from '../../registry/served-resource.ts';
import { ApiError, badRequest, notFound } from '../../server/api-error.ts';
import type { Call } from '../../server/core.ts';

/** The pod of a request. */
export function podOf({ core, info, resource }: Call): JsonObject {
  const stored = core.store.get('pods', storageKey(resource, info.namespace, info.name));
  if (!stored) throw notFound(resource, info.name);
  return stored.object;
}

/** A stored pod in the type that nodes use. */
export function asPod(pod: JsonObject): KubeObject {
  const untyped: unknown = pod;
  return untyped as KubeObject;
}

/** The container of a request: the named one, or the only one. */
export function containerOf(call: Call, pod: JsonObject): string {
  const { name: podName } = asObject(pod['metadata']) ?? {};
  const spec = asObject(pod['spec']) ?? {};
  const names = (list: string) => asObjects(spec[list]).map((container) => String(container['name']));
  const wanted = call.query.get('container') ?? '';
  const all = [...names('containers'), ...names('initContainers'), ...names('ephemeralContainers')];
  if (wanted !== '') {
    if (all.includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${String(podName)}`);
  }
  const annotated = asString(getIn(pod, 'metadata', 'annotations', 'kubectl.kubernetes.io/default-container'));
  const [first = '', ...others] = names('containers');
  if (others.length === 0) return first;
  if (annotated !== undefined && all.includes(annotated) && call.info.subresource !== 'log') return annotated;
  const init = names('initContainers');
  const more = init.length > 0 ? ` or one of the init containers: [${init.join(' ')}]` : '';
  const listed = [first, ...others].join(' ');
  throw badRequest(`a container name must be specified for pod ${String(podName)}, choose one of: [${listed}]${more}`);
}

/** True if the pod is bound to a node. */
export function isBound(pod: JsonObject): boolean {
  return Boolean(getIn(pod, 'spec', 'nodeName'));
}

/** The error of a node as the client sees it. */
export function nodeError(error: unknown): unknown {
  if (error instanceof ApiError || !(error instanceof Error)) return error;
  const { code } = error as { code?: unknown };
  const status = typeof code === 'number' && code >= 400 && code < 600 ? code : 500;
  const reason = status === 400 ? 'BadRequest' : status === 404 ? 'NotFound' : 'InternalError';
  return new ApiError(status, reason, error.message);
}
