// SPDX-License-Identifier: Apache-2.0
import { enumeration, list, object, optional, string, type ValueOf } from '@etcd-operator/crd';

/** A condition in the original's shape: both times are RFC 3339 strings, and `lastUpdateTime` exists beside the usual one. */
const condition = object(
  {
    type: string(),
    status: enumeration(['True', 'False', 'Unknown']),
    lastUpdateTime: optional(string()),
    lastTransitionTime: optional(string()),
    reason: optional(string()),
    message: optional(string()),
  },
  { preserveUnknownFields: true },
);

export type Condition = ValueOf<typeof condition>;

/** Atomic, because objects stored by the original may hold anything in any order. */
export const conditionList = list(condition);
