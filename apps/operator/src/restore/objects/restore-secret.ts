// SPDX-License-Identifier: Apache-2.0
import type { Secret } from '@etcd-operator/kube';
import { group } from '../../api/names.ts';
import { keyName } from '../delivery/channel.ts';

/** The EtcdRestore that objects are made for, or the EtcdBackup that is proven. */
export interface RestoreIdentity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

/** One for one attempt at one restore: names of objects fit 253 characters, of which this adds 27. */
export function secretNameOf({ name, uid }: RestoreIdentity): string {
  return `${name.slice(0, 220)}-restore-${uid.slice(0, 8)}`;
}

/** The key with which the operator and the new member's pod know each other; nothing else is ever in it. */
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
