// SPDX-License-Identifier: Apache-2.0
import { asArray, cloneJson, ensureObject, getIn } from '../json/json.ts';
import { methodNotAllowed, notFound } from '../server/api-error.ts';
import type { ApiResponse } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';
import { checkName, readObjectBody } from './object-body.ts';
import { objectAnswer } from './representation.ts';
import { writeObject } from './update.ts';

/** PUT to `namespaces/finalize`: sets the finalizers of a namespace. */
export async function finalizeNamespace(call: Call): Promise<ApiResponse> {
  if (call.info.verb !== 'update') throw methodNotAllowed();
  const body = readObjectBody(call);
  checkName(call, body);
  const { stored } = await writeObject(call, (current) => {
    if (!current) throw notFound(call.resource, call.info.name);
    const next = cloneJson(current.object);
    const finalizers = asArray(getIn(body, 'spec', 'finalizers'));
    if (finalizers.length > 0) ensureObject(next, 'spec')['finalizers'] = [...finalizers];
    else delete ensureObject(next, 'spec')['finalizers'];
    const version = getIn(body, 'metadata', 'resourceVersion');
    if (version !== undefined) ensureObject(next, 'metadata')['resourceVersion'] = version;
    return next;
  });
  return objectAnswer(call, 200, stored);
}
