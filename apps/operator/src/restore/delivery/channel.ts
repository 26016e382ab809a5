// SPDX-License-Identifier: Apache-2.0
import type { TlsOptions } from 'node:tls';

/**
 * The connection between the operator and the restore agent in a new member's pod: TLS with a pre-shared key, which is created for
 * this one restore and which both read from the restore's own Secret. Without the key, neither side accepts a connection, and no
 * certificates have to be issued or trusted. The operator connects to the pod: it opens no port itself.
 */
export const deliveryPort = 19_999;

/** Name of the key in the Secret, and of the file in the pod. */
export const keyName = 'key';
export const keyBytes = 32;

/** Forward secrecy: a key that is found later opens no recorded connection. */
export const channelOptions = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const satisfies TlsOptions;

/** Both sides say which restore they mean. */
export const identityOfRestore = (uid: string): string => `etcd-restore/${uid}`;
