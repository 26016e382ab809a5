// SPDX-License-Identifier: Apache-2.0
import { baseOthers } from './base-others.ts';
import { baseWorkloads } from './base-workloads.ts';
import type { BaseObject } from './refused.ts';

export type KindName = keyof typeof baseWorkloads | keyof typeof baseOthers;

/** A valid object of each kind, with enough fields that every error needs only a small change. */
export const baseObjects: Readonly<Record<KindName, BaseObject>> = { ...baseWorkloads, ...baseOthers };
