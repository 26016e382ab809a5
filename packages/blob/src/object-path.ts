// SPDX-License-Identifier: Apache-2.0
import { BlobError } from './blob-error.ts';

/** A bucket (or container) and the key of an object in it. */
export interface ObjectPath {
  readonly bucket: string;
  readonly key: string;
}

/**
 * Splits `<bucket>/<key>` at the first slash; both must be non-empty. The error has the text of CoreOS etcd-operator,
 * for every kind of store, because people search for it.
 */
export function parseObjectPath(path: string): ObjectPath {
  const slash = path.indexOf('/');
  const bucket = path.slice(0, Math.max(0, slash));
  const key = path.slice(slash + 1);
  if (bucket === '' || key === '') throw new BlobError('InvalidPath', `Invalid S3 path (${path})`);
  return { bucket, key };
}
