// SPDX-License-Identifier: Apache-2.0
import { apiVersionOf } from '@operator-parts/kube';
import { type OwnershipRules, trackUpdate, type Writer } from '../apply/field-manager.ts';
import type { JsonObject } from '../json/json.ts';
import { timestamp } from '../json/timestamp.ts';
import { header } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';

const maxManagerLength = 128;

/**
 * Records in `next.metadata.managedFields` the fields that this request changes. `live` is undefined for a new object.
 */
export function trackFields(call: Call, live: JsonObject | undefined, next: JsonObject): void {
  const { codec } = call.resource;
  trackUpdate(ownershipRules(call), live ? codec.toVersion(live) : codec.empty(), next, writerOf(call));
}

export function ownershipRules({ resource, info }: Call): OwnershipRules {
  return { type: resource.fieldType, resetFields: resource.resetFields(info.subresource) };
}

/** The field manager: `fieldManager` of the query, else the program's name in the user agent. */
export function writerOf(call: Call): Writer {
  const { resource, info, core } = call;
  return {
    manager: call.query.get('fieldManager') || nameFromUserAgent(header(call.request, 'user-agent') ?? ''),
    apiVersion: apiVersionOf(resource),
    subresource: info.subresource,
    time: timestamp(core.clock),
  };
}

function nameFromUserAgent(userAgent: string): string {
  const name = userAgent.split('/')[0] ?? '';
  return name.replace(/[^\x20-\x7e]/g, '').slice(0, maxManagerLength) || 'unknown';
}
