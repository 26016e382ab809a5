// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';
import { asObjects, asString, type JsonObject } from '../json/json.ts';
import { timestamp } from '../json/timestamp.ts';

/** Sets a condition in a definition's status; false if it is unchanged. */
export function setCondition(
  context: { readonly clock: Pick<Clock, 'now'> },
  status: JsonObject,
  type: string,
  value: 'True' | 'False',
  reason: string,
  message: string,
): boolean {
  const conditions = asObjects(status['conditions']).map((one) => ({ ...one }) as JsonObject);
  const present = conditions.find((one) => one['type'] === type);
  if (present && present['status'] === value && present['reason'] === reason && present['message'] === message)
    return false;
  const moved = asString(present?.['status']) !== value;
  const made: JsonObject = {
    type,
    status: value,
    lastTransitionTime: moved
      ? timestamp(context.clock)
      : (present?.['lastTransitionTime'] ?? timestamp(context.clock)),
    reason,
    message,
  };
  status['conditions'] = present ? conditions.map((one) => (one === present ? made : one)) : [...conditions, made];
  return true;
}
