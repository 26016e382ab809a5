// SPDX-License-Identifier: Apache-2.0
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** A serving certificate with its key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Reads the current certificate. Called repeatedly, so that a renewed certificate is used without a restart. */
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

/** Throws if certificate and key do not match: while the files are replaced, one may be old and the other new. */
export function assertPair(cert: string, key: string): void {
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new Error('the private key does not belong to the certificate');
}
