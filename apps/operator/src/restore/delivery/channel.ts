// SPDX-License-Identifier: Apache-2.0
import type { TlsOptions } from 'node:tls';

/**
 * The connection between the operator and the restore agent in a new member's pod: TLS with a pre-shared key. The key is created for this
 * one restore, and both sides read it from the restore's own Secret. Without the key, neither side accepts a connection, and no
 * certificates have to be issued or trusted. The operator connects to the pod; the operator itself opens no port.
 */
export const deliveryPort = 19_999;

/** Name of the key in the Secret, and of the file in the pod. */
export const keyName = 'key';
export const keyBytes = 32;

/** Forward secrecy: a recorded connection stays secret even if the key becomes known later. */
export const channelOptions = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const satisfies TlsOptions;

/** The identity that goes with the pre-shared key: it names the restore that the connection is for. */
export const identityOfRestore = (uid: string): string => `etcd-restore/${uid}`;
