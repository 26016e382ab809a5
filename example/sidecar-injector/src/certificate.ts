// SPDX-License-Identifier: Apache-2.0
import 'reflect-metadata';
import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Random } from '@operator-parts/ports';
import * as x509 from '@peculiar/x509';

/** A serving certificate with its key and its CA; all in PEM. */
export interface ServingCertificate {
  readonly cert: string;
  readonly key: string;
  readonly authority: string;
}

export interface CertificateRequest {
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
  /** In milliseconds since the epoch. */
  readonly now: number;
  /** In milliseconds. */
  readonly lifetime: number;
  readonly random: Pick<Random, 'bytes'>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
/** Clocks of API servers may be slightly behind. */
const backdating = 300_000;

/** Creates a certificate and a CA for it alone, whose key is dropped: the CA cannot sign another one. */
export async function makeCertificate(request: CertificateRequest): Promise<ServingCertificate> {
  const { names, now, lifetime, random } = request;
  const serialNumber = `01${Buffer.from(random.bytes(8)).toString('hex')}`;
  const period = { notBefore: new Date(now - backdating), notAfter: new Date(now + lifetime) };
  const authorityKeys = await newKeys();
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...period,
    serialNumber,
    // A unique name, so that two CAs can be in one bundle.
    name: `CN=sidecar-injector-${serialNumber}`,
    keys: authorityKeys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    ...period,
    serialNumber,
    subject: 'CN=sidecar-injector',
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
      ),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    cert: `${certificate.toString('pem')}\n`,
    key: `${x509.PemConverter.encode(key, 'PRIVATE KEY')}\n`,
    authority: `${authority.toString('pem')}\n`,
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

/** True if certificate and key match. A user who can write the Secret can break them. */
export function isPair(cert: string, key: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** The valid certificates in a bundle, in order, each in PEM. */
export function certificatesIn(bundle: string): readonly string[] {
  const blocks = bundle.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return blocks.filter((block) => asCertificate(block) !== undefined).map((block) => `${block}\n`);
}

/** True if a CA in `bundle` has issued the certificate. */
export function vouchesFor(bundle: string, cert: string): boolean {
  const certificate = asCertificate(cert);
  return certificatesIn(bundle).some((block) => {
    const authority = asCertificate(block);
    return authority !== undefined && certificate?.verify(authority.publicKey) === true;
  });
}

function asCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/**
 * When to replace a certificate, in milliseconds since the epoch: when a third of its lifetime is left, or at once (0)
 * if a name is missing.
 */
export function renewalTime(cert: string, { names, lifetime }: Pick<CertificateRequest, 'names' | 'lifetime'>): number {
  const certificate = new X509Certificate(cert);
  const carries = (name: string) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name));
  if (!names.every((name) => carries(name) !== undefined)) return 0;
  return certificate.validToDate.getTime() - lifetime / 3;
}
