// SPDX-License-Identifier: Apache-2.0
import { StorageError } from './storage-error.ts';

/**
 * The namespaces whose objects may use the operator's own cloud credentials. `caller`: the process runs for the user who also chose the
 * store, like `kubectl etcd`. The credentials are then those of this user, and may be used for any store.
 */
export type AmbientGrant = readonly string[] | 'all' | 'caller';

/** A storage source of a spec that names no Secret with credentials. */
export interface CredentialsWanted {
  readonly namespace: string;
  /** The spec field that could name a Secret, such as `s3.awsSecret`. */
  readonly field: string;
  /** True if the object sets an endpoint, or the CA for its certificate. */
  readonly isStoreChosen: boolean;
}

/**
 * The operator's own cloud credentials (workload identity, the role of the machine, its environment) belong to the administrator of the
 * operator. An object may use them only if they were granted to its namespace, and never for a store that the object chose: such a store
 * could keep them.
 */
export function checkAmbient(
  { namespace, field, isStoreChosen }: CredentialsWanted,
  granted: AmbientGrant | undefined = [],
): void {
  if (granted === 'caller') return;
  if (isStoreChosen) {
    const message = `spec.${field} must name a Secret with credentials, because the spec sets an endpoint or a caSecret. The operator never sends its own credentials to such a backup store`;
    throw new StorageError('CredentialsNotGranted', message);
  }
  if (granted === 'all' || granted.includes(namespace)) return;
  const message = `spec.${field} names no Secret with credentials, and objects in namespace ${namespace} may not use the operator's own credentials. Set spec.${field} to a Secret with credentials, or start the operator with -ambient-credentials=${namespace}`;
  throw new StorageError('CredentialsNotGranted', message);
}
