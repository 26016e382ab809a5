// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@operator-parts/kube';
import { annotations } from './names.ts';

/** The scope annotation of an object, to be set on another object that is created for it. */
export function scopeOf({ metadata }: KubeObject): Readonly<Record<string, string>> {
  const scope = metadata?.annotations?.[annotations.scope];
  return scope === undefined ? {} : { [annotations.scope]: scope };
}
