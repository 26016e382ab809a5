// SPDX-License-Identifier: Apache-2.0
import {
  isKubeError,
  type JsonPatchOperation,
  type KubeObject,
  type Patch,
  type ResourceClient,
} from '@etcd-operator/kube';
import { fieldManager } from './names.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What turns one status into the other: every field of the next one, and undefined for those that are gone. */
export function statusChanges(previous: object | undefined, next: object): Fields {
  const gone = Object.keys(previous ?? {}).filter((key) => !Object.hasOwn(next, key));
  return { ...next, ...Object.fromEntries(gone.map((key) => [key, undefined])) };
}

/**
 * Writes fields of the status of this very object; undefined removes one, all others stay as they are. Fails if the object was deleted,
 * and created again under its name: a merge patch would not notice, because of the metadata in a patch of the status the API server
 * only looks at the version.
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

/** No JSON patch can add to a status that is not there, and one that makes it could undo what somebody wrote meanwhile. */
function firstStatus({ metadata }: KubeObject, changes: Fields): Patch {
  const status = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return { type: 'merge', patch: { metadata: { resourceVersion: metadata?.resourceVersion }, status } };
}

function statusOfUid({ metadata }: KubeObject, changes: Fields): Patch {
  const isMeant: JsonPatchOperation = { op: 'test', path: '/metadata/uid', value: metadata?.uid ?? '' };
  const operations = Object.entries(changes).flatMap(([key, value]): JsonPatchOperation[] => {
    const path = `/status/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (value !== undefined) return [{ op: 'add', path, value }];
    // Removed whether it is there or not.
    return [
      { op: 'add', path, value: null },
      { op: 'remove', path },
    ];
  });
  return { type: 'json', operations: [isMeant, ...operations] };
}
