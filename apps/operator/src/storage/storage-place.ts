// SPDX-License-Identifier: Apache-2.0
import { isBlobError, type ObjectPath, parseObjectPath } from '@operator-parts/blob';
import { type StorageSources, type StorageType, sourceField, storageTypes } from '../api/storage-source.ts';
import { StorageError } from './storage-error.ts';

/** The place that an object names: the storage type, and the path as users wrote it. */
export interface StoragePlace extends ObjectPath {
  readonly type: StorageType;
  /** `<bucket>/<key>`; for a directory only the file. */
  readonly path: string;
}

/**
 * Parses the place of a spec. Throws a `StorageError` that describes what is wrong with it. Sends no request.
 *
 * @param namespace the namespace of the object: in a directory, every namespace has its own folder, and its objects cannot reach other
 * folders
 */
export function storagePlace(type: string, sources: StorageSources, namespace: string): StoragePlace {
  const known = storageTypes.find((name) => name === type);
  if (!known) {
    const message = `unknown storage type ${JSON.stringify(type.slice(0, 100))}; use ${storageTypes.join(', ')}`;
    throw new StorageError('UnknownStorage', message);
  }
  const field = sourceField[known];
  const path = sources[field]?.path;
  if (!path) throw new StorageError('SourceMissing', `spec.${field}.path is required for storage type ${known}`);
  if (known === 'Directory') return { type: known, path, bucket: '', key: `${namespace}/${path}` };
  return { type: known, path, ...split(path) };
}

/** The path of another key of the same store, as users write it: it can replace the place's path in a spec. */
export function pathBeside({ path, key }: Pick<StoragePlace, 'path' | 'key'>, beside: string): string {
  // The longer of the two ends with the shorter: `<bucket>/<key>` ends with the key, and the key of a file is the namespace's folder and
  // the path.
  const common = Math.min(path.length, key.length);
  return path.slice(0, path.length - common) + beside.slice(key.length - common);
}

/** The inverse of `pathBeside`: the key of this path; undefined if the path is in another bucket. */
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
