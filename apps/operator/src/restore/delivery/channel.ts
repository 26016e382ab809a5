// SPDX-License-Identifier: Apache-2.0
import type { TlsOptions } from 'node:tls';

/**
 * How the operator and the agent in a new member's pod speak: TLS with a key that both have from the restore's own Secret,
 * and that is made for this one restore. Whoever does not have it gets no connection, on either side; there is no
 * certificate to be issued, trusted or expired. The data goes towards the pod: the operator opens no port.
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
