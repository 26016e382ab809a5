// SPDX-License-Identifier: Apache-2.0
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type { Extension, X509Certificate } from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const always = { from: '2000-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' } as const;

/** Loaded for the first certificate: most importers create none, and loading takes a good part of a second. */
async function x509(): Promise<typeof import('@peculiar/x509')> {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/** A certificate and its private key, in PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** The content of a certificate. */
export interface TestCertificateOptions {
  /** CN of the subject. @default "test" */
  readonly commonName?: string;
  /** O of the subject: the groups of a user of Kubernetes. @default none */
  readonly organizations?: readonly string[];
  /** DNS names, wildcards among them, and IP addresses. @default none */
  readonly names?: readonly string[];
  /** @default both, as etcd requires for its members */
  readonly usages?: readonly ('serverAuth' | 'clientAuth')[];
  /** @default 2000-01-01 */
  readonly from?: string;
  /** @default 2100-01-01 */
  readonly until?: string;
}

/**
 * A test CA that ends with its process. Everything is created within Node: no program, no files. Not for security
 * purposes.
 */
export class TestAuthority {
  /** Its own certificate, in PEM. */
  readonly ca: string;
  readonly #root: X509Certificate;
  readonly #signingKey: webcrypto.CryptoKey;

  private constructor(root: X509Certificate, signingKey: webcrypto.CryptoKey) {
    this.ca = root.toString('pem');
    this.#root = root;
    this.#signingKey = signingKey;
  }

  static async create(name = 'test-ca'): Promise<TestAuthority> {
    const { KeyUsageFlags, KeyUsagesExtension } = await x509();
    const keys = await newKeys();
    const root = await rootOf(name, keys, [new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true)]);
    return new TestAuthority(root, keys.privateKey);
  }

  /** An intermediate CA signed by this one. */
  async subordinate(name: string): Promise<TestAuthority> {
    const { BasicConstraintsExtension, X509CertificateGenerator } = await x509();
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.create({
      subject: [{ CN: [name] }],
      issuer: this.#root.subject,
      publicKey: keys.publicKey,
      signingKey: this.#signingKey,
      notBefore: new Date(always.from),
      notAfter: new Date(always.until),
      signingAlgorithm: algorithm,
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    });
    return new TestAuthority(certificate, keys.privateKey);
  }

  async issue(options: TestCertificateOptions = {}): Promise<TestCertificate> {
    const { commonName = 'test', organizations = [], names = [], usages = ['serverAuth', 'clientAuth'] } = options;
    const { ExtendedKeyUsage, ExtendedKeyUsageExtension, X509CertificateGenerator } = await x509();
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.create({
      subject: [...organizations.map((name) => ({ O: [name] })), { CN: [commonName] }],
      issuer: this.#root.subject,
      publicKey: keys.publicKey,
      signingKey: this.#signingKey,
      notBefore: new Date(options.from ?? always.from),
      notAfter: new Date(options.until ?? always.until),
      signingAlgorithm: algorithm,
      extensions: [
        new ExtendedKeyUsageExtension(usages.map((usage) => ExtendedKeyUsage[usage])),
        ...(await alternativeNames(names)),
      ],
    });
    return pemOf(certificate, keys);
  }

  /** A certificate for a server of these DNS names and IP addresses. */
  server(...names: readonly string[]): Promise<TestCertificate> {
    return this.issue({ commonName: 'server', names, usages: ['serverAuth'] });
  }

  /** A certificate for a client: to Kubernetes, the user of this name. */
  client(commonName: string): Promise<TestCertificate> {
    return this.issue({ commonName, usages: ['clientAuth'] });
  }
}

/** A self-signed certificate for servers on loopback: clients trust it without another CA. */
export async function selfSignedCertificate(commonName: string): Promise<TestCertificate> {
  const keys = await newKeys();
  return pemOf(await rootOf(commonName, keys, await alternativeNames(['localhost', '127.0.0.1', '::1'])), keys);
}

async function rootOf(
  commonName: string,
  keys: webcrypto.CryptoKeyPair,
  extensions: Extension[],
): Promise<X509Certificate> {
  const { BasicConstraintsExtension, X509CertificateGenerator } = await x509();
  return X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    keys,
    notBefore: new Date(always.from),
    notAfter: new Date(always.until),
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(true, undefined, true), ...extensions],
  });
}

/** The extension must be absent if it would be empty. */
async function alternativeNames(names: readonly string[]): Promise<Extension[]> {
  if (names.length === 0) return [];
  const { SubjectAlternativeNameExtension } = await x509();
  const list = names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value }));
  return [new SubjectAlternativeNameExtension(list)];
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function pemOf(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair): Promise<TestCertificate> {
  const { PemConverter } = await x509();
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: certificate.toString('pem'), key: PemConverter.encode(key, 'PRIVATE KEY') };
}
