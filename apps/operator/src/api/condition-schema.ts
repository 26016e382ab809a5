// SPDX-License-Identifier: Apache-2.0
import { enumeration, list, object, optional, type ValueOf } from '@operator-parts/crd';
import { statusItems, statusText } from './bounds.ts';

/** A condition as CoreOS defined it: both times are RFC 3339 strings, and there is also `lastUpdateTime`. */
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

/** The list is atomic, because objects stored by CoreOS may have any conditions in any order. */
export const conditionList = list(condition, statusItems);
