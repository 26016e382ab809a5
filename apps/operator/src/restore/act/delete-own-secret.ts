// SPDX-License-Identifier: Apache-2.0
import { type Client, ignoreNotFound, secrets } from '@operator-parts/kube';
import { isOwnedBy } from '../../cluster/objects/owner.ts';
import { type RestoreIdentity, secretNameOf } from '../objects/restore-secret.ts';

/**
 * Deletes the Secret of a restore or of a proof (test restore of a stored backup). A Secret of the same name that was not created for
 * `owner` is not deleted (safety rule 12).
 */
export async function deleteOwnSecret(client: Client, owner: RestoreIdentity, signal: AbortSignal): Promise<void> {
  const key = { namespace: owner.namespace, name: secretNameOf(owner) };
  const found = await ignoreNotFound(client.resource(secrets).get(key, { signal }));
  if (!found || !isOwnedBy(found, owner.uid)) return;
  const preconditions = { uid: found.metadata?.uid ?? '' };
  await ignoreNotFound(client.resource(secrets).delete(key, { preconditions, signal }));
}
