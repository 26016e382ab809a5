// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';

/** The pod's condition `Ready` is true. */
export function isPodReady(pod: Pod): boolean {
  return readySince(pod) !== undefined;
}

/** Ready for at least this many seconds. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const since = readySince(pod);
  return since !== undefined && (minReadySeconds === 0 || now - since >= minReadySeconds * 1000);
}

/** Milliseconds until the pod is available if it stays ready; undefined if it is available already, or not ready. */
export function untilAvailable(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const since = readySince(pod);
  if (since === undefined || isPodAvailable(pod, minReadySeconds, now)) return undefined;
  return since + minReadySeconds * 1000 - now;
}

/** Not ended and not being deleted. */
export function isPodActive(pod: Pod): boolean {
  return !hasPodEnded(pod) && !pod.metadata?.deletionTimestamp;
}

export function hasPodEnded(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

function readySince(pod: Pod): number | undefined {
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? Date.parse(ready.lastTransitionTime ?? '') || 0 : undefined;
}
