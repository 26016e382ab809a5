// SPDX-License-Identifier: Apache-2.0
import type { ObjectKey } from '../object.ts';
import type { Resource } from '../resource.ts';
import { type CallContext, sendForObject } from './call.ts';
import type { CallOptions, SubresourceClient, WriteOptions } from './client.ts';
import { objectPath } from './object-path.ts';
import { applyBody, patchBody } from './patch-body.ts';
import { hasPrecondition, patchHasPrecondition } from './precondition.ts';
import { withQuery, writeQuery } from './query.ts';

/** A subresource of objects of one kind. `complete` adds omitted fields to a body. */
export function subresourceClient<S>(
  context: CallContext,
  resource: Resource,
  name: string,
  complete: (body: unknown) => unknown = (body) => body,
): SubresourceClient<S> {
  const path = (key: ObjectKey, options: WriteOptions & { readonly force?: boolean } = {}) =>
    withQuery(objectPath(resource, key, name), writeQuery(options));
  const call = async (
    method: 'POST' | 'PUT' | 'PATCH',
    key: ObjectKey,
    body: { readonly contentType?: string; readonly body: string; readonly repeatable?: boolean },
    options: WriteOptions = {},
  ) => {
    const { signal, fence } = options;
    return (await sendForObject(context, { method, path: path(key, options), ...body, signal, fence })) as S;
  };
  return {
    get: async (key, options: CallOptions = {}) =>
      (await sendForObject(context, { method: 'GET', path: path(key), signal: options.signal })) as S,
    create: (key, body, options) => call('POST', key, { body: JSON.stringify(body) }, options),
    replace: (key, body, options) =>
      call('PUT', key, { body: JSON.stringify(complete(body)), repeatable: hasPrecondition(body) }, options),
    patch: (key, patch, options) =>
      call('PATCH', key, { ...patchBody(patch), repeatable: patchHasPrecondition(patch) }, options),
    apply: (key, body, options) =>
      call('PATCH', key, { ...applyBody(complete(body)), repeatable: hasPrecondition(body) }, options),
  };
}
