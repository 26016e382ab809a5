// SPDX-License-Identifier: Apache-2.0
import { isBlobError, type ObjectPath, parseObjectPath } from '@etcd-operator/blob';
import { type StorageSources, type StorageType, sourceField, storageTypes } from '../api/storage-source.ts';
import { StorageError } from './storage-error.ts';

/** Where an object names a place: which kind of storage, and the path as it was written. */
export interface StoragePlace extends ObjectPath {
  readonly type: StorageType;
  /** `<bucket>/<key>`; of a directory the file alone. */
  readonly path: string;
}

/**
 * Reads the place from a spec, or throws a `StorageError` that says what is wrong with it. Sends no request.
 *
 * @param namespace that of the object: in a directory, every namespace has a folder of its own and none reaches another's
 */
export function storagePlace(type: string, sources: StorageSources, namespace: string): StoragePlace {
  const known = storageTypes.find((name) => name === type);
  if (!known) {
    const message = `unknown storage type ${JSON.stringify(type.slice(0, 100))}; use ${storageTypes.join(', ')}`;
    throw new StorageError('UnknownStorage', message);
  }
  const field = sourceField[known];
  const path = sources[field]?.path;
  if (!path) throw new StorageError('SourceMissing', `spec.${field}.path is missing; storage type ${known} needs it`);
  if (known === 'Directory') return { type: known, path, bucket: '', key: `${namespace}/${path}` };
  return { type: known, path, ...split(path) };
}

/** The path of another key beside the place, as people write it: what this gives can stand in a spec where the place's path stood. */
export function pathBeside({ path, key }: Pick<StoragePlace, 'path' | 'key'>, beside: string): string {
  // The key is the end of both: of `<bucket>/<key>`, and with the folder of the namespace before it, of a file's.
  const common = Math.min(path.length, key.length);
  return path.slice(0, path.length - common) + beside.slice(key.length - common);
}

/** The key that `pathBeside` gives this path of; undefined for a path that lies elsewhere. */
export function keyBeside(place: Pick<StoragePlace, 'path' | 'key'>, path: string): string | undefined {
  const common = Math.min(place.path.length, place.key.length);
  const before = place.path.length - common;
  const key = place.key.slice(0, place.key.length - common) + path.slice(before);
  return path.slice(0, before) === place.path.slice(0, before) ? key : undefined;
}

function split(path: string): ObjectPath {
  try {
    return parseObjectPath(path);
  } catch (error) {
    if (!isBlobError(error, 'InvalidPath')) throw error;
    throw new StorageError('InvalidPath', error.message, { cause: error });
  }
}
