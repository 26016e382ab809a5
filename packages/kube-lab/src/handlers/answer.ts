// SPDX-License-Identifier: Apache-2.0
import type { ServedResource } from '../registry/served-resource.ts';
import { type ApiResponse, jsonResponse } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** The answer that carries one object. */
export function objectAnswer(call: Call, status: number, stored: StoredObject, resource?: ServedResource): ApiResponse {
  const text = (resource ?? call.resource).codec.encode(stored);
  return jsonResponse(status, text);
}
