// SPDX-License-Identifier: Apache-2.0
import {
  isKubeError,
  type JsonPatchOperation,
  type KubeObject,
  type Patch,
  type ResourceClient,
} from '@operator-parts/kube';
import { fieldManager } from '../names.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The changes from one status to another: all fields of the new one, and undefined for removed fields. */
export function statusChanges(previous: object | undefined, next: object): Fields {
  const gone = Object.keys(previous ?? {}).filter((key) => !Object.hasOwn(next, key));
  return { ...next, ...Object.fromEntries(gone.map((key) => [key, undefined])) };
}

/**
 * Writes fields of the object's status. A field with the value undefined is removed; fields that are not in `changes` stay unchanged. Fails
 * if the object was deleted and recreated under the same name. A JSON patch is used because it can test the UID: in a merge patch of the
 * status, the API server compares only the resourceVersion of the metadata.
 */
export async function writeStatus<T extends KubeObject & { readonly status?: object }>(
  client: ResourceClient<T>,
  object: T,
  changes: Fields,
  signal: AbortSignal,
): Promise<T> {
  const { name = '', namespace = '', uid } = object.metadata ?? {};
  const write = (seen: T) => {
    const patch = seen.status === undefined ? firstStatus(seen, changes) : statusOfUid(seen, changes);
    return client.status.patch({ name, namespace }, patch, { fieldManager, signal });
  };
  try {
    return await write(object);
  } catch (error) {
    if (!isKubeError(error, 'Conflict', 'Invalid')) throw error;
    // Another writer may have changed or removed the status since the object was read.
    const current = await client.get({ name, namespace }, { signal });
    if (current.metadata?.uid !== uid) throw error;
    return write(current);
  }
}

/**
 * The first status is written by a merge patch. A JSON patch cannot add a field to a missing status, and a JSON patch that creates the
 * status could overwrite the status of another writer.
 */
function firstStatus({ metadata }: KubeObject, changes: Fields): Patch {
  const status = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return { type: 'merge', patch: { metadata: { resourceVersion: metadata?.resourceVersion }, status } };
}

function statusOfUid({ metadata }: KubeObject, changes: Fields): Patch {
  const isMeant: JsonPatchOperation = { op: 'test', path: '/metadata/uid', value: metadata?.uid ?? '' };
  const operations = Object.entries(changes).flatMap(([key, value]): JsonPatchOperation[] => {
    const path = `/status/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (value !== undefined) return [{ op: 'add', path, value }];
    // `add` before `remove`, so that the removal works even if the field does not exist.
    return [
      { op: 'add', path, value: null },
      { op: 'remove', path },
    ];
  });
  return { type: 'json', operations: [isMeant, ...operations] };
}
