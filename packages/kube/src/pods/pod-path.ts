// SPDX-License-Identifier: Apache-2.0
import { objectPath } from '../client/object-path.ts';
import type { ObjectKey } from '../object.ts';

/** The path of a subresource of a pod. */
export function podPath(pod: ObjectKey, subresource: string): string {
  return objectPath({ group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true }, pod, subresource);
}
