// SPDX-License-Identifier: Apache-2.0
import { enumeration, list, object, optional, type ValueOf } from '@etcd-operator/crd';
import { statusItems, statusText } from './bounds.ts';

/** A condition in CoreOS's shape: both times are RFC 3339 strings, and `lastUpdateTime` exists beside the usual one. */
const condition = object(
  {
    type: statusText(),
    status: enumeration(['True', 'False', 'Unknown']),
    lastUpdateTime: optional(statusText()),
    lastTransitionTime: optional(statusText()),
    reason: optional(statusText()),
    message: optional(statusText()),
  },
  { preserveUnknownFields: true },
);

export type Condition = ValueOf<typeof condition>;

/** Atomic, because objects stored by CoreOS may hold anything in any order. */
export const conditionList = list(condition, statusItems);
