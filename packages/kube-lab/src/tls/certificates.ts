// SPDX-License-Identifier: Apache-2.0
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** A certificate and its private key, as PEM. */
export interface KeyPair {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** Signs certificates. */
export interface CertificateAuthority {
  readonly certificatePem: string;
  issue(subject: CertificateSubject): Promise<KeyPair>;
}

export interface CertificateSubject {
  /** The user name of a client certificate. */
  readonly commonName: string;
  /** The groups of a client certificate. */
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  readonly usage: 'client' | 'server';
}

// A test may move the lab's clock far, so certificates are valid for a century.
const notBefore = new Date('2000-01-01T00:00:00Z');
const notAfter = new Date('2100-01-01T00:00:00Z');
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Creates a certificate authority with a new key. */
export async function createCertificateAuthority(commonName: string): Promise<CertificateAuthority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: [{ CN: [commonName] }],
    notBefore,
    notAfter,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
    ],
  });
  let serial = 1;
  return {
    certificatePem: certificate.toString('pem'),
    issue: (subject) => issue(certificate, keys.privateKey, ++serial, subject),
  };
}

async function issue(
  authority: x509.X509Certificate,
  signingKey: webcrypto.CryptoKey,
  serial: number,
  subject: CertificateSubject,
): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial.toString(16).padStart(2, '0'),
    subject: [...(subject.organizations ?? []).map((name) => ({ O: [name] })), { CN: [subject.commonName] }],
    issuer: authority.subject,
    notBefore,
    notAfter,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    extensions: extensionsOf(subject),
  });
  const privateKey = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certificatePem: certificate.toString('pem'),
    privateKeyPem: x509.PemConverter.encode(privateKey, 'PRIVATE KEY'),
  };
}

function extensionsOf({ usage, dnsNames = [], ipAddresses = [] }: CertificateSubject): x509.Extension[] {
  const purpose = usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
  const names: x509.JsonGeneralName[] = [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...ipAddresses.map((value) => ({ type: 'ip' as const, value })),
  ];
  return [
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([purpose]),
    ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
  ];
}
