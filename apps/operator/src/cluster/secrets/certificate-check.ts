// SPDX-License-Identifier: Apache-2.0
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { TlsFiles } from './tls-secret.ts';

const serverAuth = '1.3.6.1.5.5.7.3.1';
const clientAuth = '1.3.6.1.5.5.7.3.2';

export interface CertificateNeeds {
  /** Names that the certificate must cover, directly or by a wildcard. */
  readonly names: readonly string[];
  /** Members act as servers, and as clients of each other and of themselves. */
  readonly usages: 'serverAndClient' | 'client';
  readonly now: number;
}

/**
 * Sentences that say what would prevent etcd or this operator from using a certificate; empty if nothing does. Checked before a pod is
 * created, because etcd reports such problems only in its log (operator rule 18).
 */
export function certificateProblems(files: TlsFiles, needs: CertificateNeeds): readonly string[] {
  try {
    const certificate = new X509Certificate(files.cert);
    return [
      ...keyProblems(certificate, files.key),
      ...chainProblems(certificate, files.ca, files.cert),
      ...timeProblems(certificate, needs.now),
      ...usageProblems(certificate, needs.usages),
      ...nameProblems(certificate, needs.names),
    ];
  } catch (error) {
    return [`its certificate cannot be read: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** When a certificate expires, in milliseconds since the epoch; 0 if it cannot be read. */
export function certificateExpiry({ cert }: TlsFiles): number {
  try {
    return new X509Certificate(cert).validToDate.getTime();
  } catch {
    return 0;
  }
}

function keyProblems(certificate: X509Certificate, key: string): readonly string[] {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key))
      ? []
      : ['its private key does not belong to its certificate'];
  } catch {
    return ['its private key cannot be read'];
  }
}

/**
 * The CA is a bundle of one or more certificates. One of them must be the certificate itself, must have signed it, or must have signed the
 * first of a chain of intermediate certificates in the file that ends at the certificate.
 */
function chainProblems(certificate: X509Certificate, bundle: string, file: string): readonly string[] {
  const authorities = certificatesIn(bundle, 256);
  if (authorities.length === 0) return ['its CA holds no certificate'];
  const unused = new Set(certificatesIn(file, 16).slice(1));
  let link: X509Certificate | undefined = certificate;
  while (link) {
    const last: X509Certificate = link;
    if (authorities.some((ca) => ca.fingerprint256 === last.fingerprint256 || last.verify(ca.publicKey))) return [];
    link = [...unused].find((between) => between.ca && last.verify(between.publicKey));
    if (link) unused.delete(link);
  }
  return ['its certificate was not issued by its CA'];
}

/**
 * Certificates of a PEM file, up to a limit: the Secret may come from any user, and it takes time to read and compare each certificate.
 */
function certificatesIn(pem: string, atMost: number): readonly X509Certificate[] {
  const [begin, end] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----'];
  return pem
    .split(begin)
    .slice(1)
    .filter((text) => text.includes(end))
    .slice(0, atMost)
    .map((text) => new X509Certificate(`${begin}${text.slice(0, text.indexOf(end))}${end}`));
}

function timeProblems(certificate: X509Certificate, now: number): readonly string[] {
  if (now > certificate.validToDate.getTime()) return [`its certificate expired on ${certificate.validTo}`];
  if (now < certificate.validFromDate.getTime()) return [`its certificate is valid only from ${certificate.validFrom}`];
  return [];
}

function usageProblems(certificate: X509Certificate, usages: CertificateNeeds['usages']): readonly string[] {
  const present: readonly string[] | undefined = certificate.keyUsage;
  // A certificate without extended key usages may be used for everything.
  if (!present || present.length === 0) return [];
  const wanted = usages === 'client' ? [clientAuth] : [serverAuth, clientAuth];
  return wanted
    .filter((usage) => !present.includes(usage))
    .map((usage) => `its certificate is not for ${usage === serverAuth ? 'server' : 'client'} authentication`);
}

function nameProblems(certificate: X509Certificate, names: readonly string[]): readonly string[] {
  return names
    .filter((name) => certificate.checkHost(name, { subject: 'never' }) === undefined)
    .map((name) => `its certificate does not cover ${name}`);
}
