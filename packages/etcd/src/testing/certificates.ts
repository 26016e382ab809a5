// SPDX-License-Identifier: Apache-2.0
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** A certificate and its key, in PEM. */
export interface Leaf {
  readonly cert: string;
  readonly key: string;
}

/** What a certificate is for. Fit for servers and clients alike, as etcd wants it. */
export interface LeafOptions {
  readonly names?: readonly string[];
  readonly addresses?: readonly string[];
  /** @default 2100-01-01 */
  readonly notAfter?: string;
}

/** Signs certificates for tests. */
export interface Authority {
  readonly ca: string;
  issue(options: LeafOptions): Promise<Leaf>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const notBefore = new Date('2000-01-01T00:00:00Z');

/** A new authority that nobody else knows. */
export async function createAuthority(name: string): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: [{ CN: [name] }],
    notBefore,
    notAfter: new Date('2100-01-01T00:00:00Z'),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  let serial = 1;
  return {
    ca: root.toString('pem'),
    issue: (options) => issue(root, keys.privateKey, ++serial, options),
  };
}

async function issue(
  root: x509.X509Certificate,
  signingKey: webcrypto.CryptoKey,
  serial: number,
  { names = [], addresses = [], notAfter = '2100-01-01T00:00:00Z' }: LeafOptions,
): Promise<Leaf> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial.toString(16).padStart(2, '0'),
    subject: [{ CN: ['member'] }],
    issuer: root.subject,
    notBefore,
    notAfter: new Date(notAfter),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...names.map((value) => ({ type: 'dns' as const, value })),
        ...addresses.map((value) => ({ type: 'ip' as const, value })),
      ]),
    ],
  });
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: certificate.toString('pem'), key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY') };
}
