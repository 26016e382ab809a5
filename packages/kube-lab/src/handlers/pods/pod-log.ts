// SPDX-License-Identifier: Apache-2.0
import { methodNotAllowed } from '../../server/api-error.ts';
import type { ApiResponse } from '../../server/api-request.ts';
import type { Call } from '../../server/core.ts';
import type { LogOptions } from '../../server/node-proxy.ts';
import { isTrue } from '../../server/request-info.ts';
import { type FieldError, invalid, invalidObject } from '../../validation/field-error.ts';
import { asPod, containerOf, isBound, nodeError, podOf } from './pod-container.ts';

/** GET of `pods/log`: the output of a container. */
export async function podLog(call: Call): Promise<ApiResponse> {
  if (call.info.verb !== 'get') throw methodNotAllowed();
  const pod = podOf(call);
  const options = readOptions(call);
  const container = containerOf(call, pod);
  const { nodeProxy } = call.core;
  const headers = { 'content-type': 'text/plain' };
  // A container that never ran has written nothing.
  if (!isBound(pod) || !nodeProxy.current) return { status: 204, headers: {}, body: '' };
  try {
    const body = await nodeProxy.current.log(asPod(pod), { ...options, container }, call.request.signal);
    return { status: 200, headers, body };
  } catch (error) {
    throw nodeError(error);
  }
}

function readOptions({ query, info }: Call): Omit<LogOptions, 'container'> {
  const numbers: Record<string, number> = {};
  const errors: FieldError[] = [];
  for (const [key, least] of [
    ['tailLines', 0],
    ['sinceSeconds', 1],
    ['limitBytes', 1],
  ] as const) {
    const text = query.get(key);
    if (text === null || text === '') continue;
    const value = Number(text);
    numbers[key] = value;
    if (!(value >= least)) {
      errors.push(invalid(key, value, least === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0'));
    }
  }
  if (errors.length > 0) throw invalidObject({ group: '', kind: 'PodLogOptions' }, info.name, errors);
  const sinceTime = query.get('sinceTime');
  return {
    follow: isTrue(query.get('follow')),
    previous: isTrue(query.get('previous')),
    timestamps: isTrue(query.get('timestamps')),
    ...numbers,
    ...(sinceTime ? { sinceTime } : {}),
  };
}
