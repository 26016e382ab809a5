// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@etcd-operator/kube';
import { annotations } from './names.ts';

/**
 * Whether an operator looks after an object, of any of our kinds. The original's table: an operator of one namespace leaves annotated
 * objects alone, a cluster-wide one takes only those. Two operators that both see an object never both work on it.
 */
export function isManaged({ metadata }: KubeObject, clusterWide: boolean): boolean {
  const scope = metadata?.annotations?.[annotations.scope];
  return clusterWide ? scope === 'clusterwide' : scope === undefined;
}

/** The part of an object's annotations that says who looks after it, for an object that is made for it. */
export function scopeOf({ metadata }: KubeObject): Readonly<Record<string, string>> {
  const scope = metadata?.annotations?.[annotations.scope];
  return scope === undefined ? {} : { [annotations.scope]: scope };
}
