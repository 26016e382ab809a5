// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from '../../json/json.ts';
import type { Identity } from '../../server/identity.ts';

/** An identity as review objects contain it. */
export function userInfo({ user, uid, groups, extra }: Identity): JsonObject {
  return {
    username: user,
    ...(uid ? { uid } : {}),
    groups: [...groups],
    ...(extra ? { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) } : {}),
  };
}
