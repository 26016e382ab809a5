// SPDX-License-Identifier: Apache-2.0
import { baseSmallKinds } from './base-small-kinds.ts';
import { baseWorkloads } from './base-workloads.ts';
import type { BaseObject } from './refused.ts';

export type KindName = keyof typeof baseWorkloads | keyof typeof baseSmallKinds;

/** A valid object of each kind, with enough fields that every error needs only a small change. */
export const baseObjects: Readonly<Record<KindName, BaseObject>> = { ...baseWorkloads, ...baseSmallKinds };
