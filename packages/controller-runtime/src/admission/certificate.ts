// SPDX-License-Identifier: Apache-2.0
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** A serving certificate with its key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Where the present certificate comes from. Asked again and again, so that a new one is found without a restart. */
export type CertificateSource = () => Promise<Certificate>;

/** A certificate from two files, as mounted from a Secret of type kubernetes.io/tls. */
export function certificateFiles(certFile: string, keyFile: string): CertificateSource {
  return async () => {
    const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
    try {
      assertPair(cert, key);
    } catch (cause) {
      throw new Error(`${certFile} and ${keyFile} do not contain a certificate and its key`, { cause });
    }
    return { cert, key };
  };
}

/** Throws unless the two belong together: while files are replaced, the certificate of one pair may stand beside the key of the other. */
export function assertPair(cert: string, key: string): void {
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new Error('the private key does not belong to the certificate');
}
