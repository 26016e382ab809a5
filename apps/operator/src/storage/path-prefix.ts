// SPDX-License-Identifier: Apache-2.0
import { StorageError } from './storage-error.ts';
import type { StoragePlace } from './storage-place.ts';

/**
 * Restricts the objects of a namespace to its own part of the bucket. Otherwise all users of a shared bucket could list, restore and prune
 * each other's backups. In a directory, each namespace has its own folder anyway.
 *
 * @param template the required prefix of keys; `{namespace}` stands for the namespace of the object
 */
export function checkPathPrefix(place: StoragePlace, namespace: string, template: string): void {
  if (place.type === 'Directory') return;
  const prefix = `${template.replaceAll('{namespace}', namespace).replace(/\/$/, '')}/`;
  // Keys with `.` or `..` are refused, because a proxy or the store may resolve them.
  const climbs = place.key.split('/').some((segment) => segment === '.' || segment === '..');
  if (!climbs && place.key.startsWith(prefix) && place.key.length > prefix.length) return;
  const message = `path ${place.path} must begin with ${place.bucket}/${prefix}, because the operator was started with -path-prefix`;
  throw new StorageError('InvalidPath', message);
}
