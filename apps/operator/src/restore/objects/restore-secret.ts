// SPDX-License-Identifier: Apache-2.0
import type { Secret } from '@operator-parts/kube';
import { group } from '../../api/names.ts';
import { keyName } from '../delivery/channel.ts';

/** The EtcdRestore that the objects are created for, or the EtcdBackup of which a stored backup is being restored as a test. */
export interface RestoreIdentity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

/**
 * A recreated EtcdRestore of the same name has another UID, so its Secret has another name. The name has at most 237 characters; Kubernetes
 * allows 253.
 */
export function secretNameOf({ name, uid }: RestoreIdentity): string {
  return `${name.slice(0, 220)}-restore-${uid.slice(0, 8)}`;
}

/** The Secret holds only the key by which the operator and the new member's pod identify each other. */
export function restoreSecret(
  restore: RestoreIdentity,
  key: Uint8Array,
  kind: 'EtcdRestore' | 'EtcdBackup' = 'EtcdRestore',
): Secret {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: secretNameOf(restore),
      namespace: restore.namespace,
      ownerReferences: [
        { apiVersion: `${group}/v1beta2`, kind, name: restore.name, uid: restore.uid, controller: true },
      ],
    },
    immutable: true,
    type: 'Opaque',
    data: { [keyName]: Buffer.from(Buffer.from(key).toString('hex')).toString('base64') },
  };
}
