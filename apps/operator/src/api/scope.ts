// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@etcd-operator/kube';
import { annotations } from './names.ts';

/** The part of an object's annotations that says who looks after it, for an object that is made for it. */
export function scopeOf({ metadata }: KubeObject): Readonly<Record<string, string>> {
  const scope = metadata?.annotations?.[annotations.scope];
  return scope === undefined ? {} : { [annotations.scope]: scope };
}
