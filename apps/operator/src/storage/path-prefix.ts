// SPDX-License-Identifier: Apache-2.0
import { StorageError } from './storage-error.ts';
import type { StoragePlace } from './storage-place.ts';

/**
 * Keeps the objects of a namespace in a part of the bucket that is its own: without it, whoever shares a bucket can list, restore and
 * prune what others keep there. A directory has a folder for each namespace anyway.
 *
 * @param template what keys must begin with; `{namespace}` stands for the namespace of the object
 */
export function checkPathPrefix(place: StoragePlace, namespace: string, template: string): void {
  if (place.type === 'Directory') return;
  const prefix = `${template.replaceAll('{namespace}', namespace).replace(/\/$/, '')}/`;
  // Something between here and the store may resolve them.
  const climbs = place.key.split('/').some((segment) => segment === '.' || segment === '..');
  if (!climbs && place.key.startsWith(prefix) && place.key.length > prefix.length) return;
  const message = `path ${place.path} must begin with ${place.bucket}/${prefix}, because the operator was started with -path-prefix`;
  throw new StorageError('InvalidPath', message);
}
