// SPDX-License-Identifier: Apache-2.0
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
export const serverAuth = '1.3.6.1.5.5.7.3.1';
export const clientAuth = '1.3.6.1.5.5.7.3.2';

export interface Leaf {
  readonly names?: readonly string[];
  readonly usages?: readonly string[];
  readonly from?: string;
  readonly until?: string;
}

/** A certificate authority of a test. */
export class TestAuthority {
  readonly name: string;
  readonly pem: string;
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(name: string, pem: string, keys: webcrypto.CryptoKeyPair) {
    this.name = name;
    this.pem = pem;
    this.#keys = keys;
  }

  static async create(name: string): Promise<TestAuthority> {
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: `CN=${name}`,
      keys,
      notBefore: new Date('2026-01-01'),
      notAfter: new Date('2036-01-01'),
      signingAlgorithm: algorithm,
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    });
    return new TestAuthority(name, certificate.toString('pem'), keys);
  }

  /** A certificate with its key, in PEM. */
  async issue(leaf: Leaf = {}): Promise<{ readonly cert: string; readonly key: string }> {
    const { names = [], usages = [serverAuth, clientAuth], from = '2026-01-01', until = '2036-01-01' } = leaf;
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const certificate = await X509CertificateGenerator.create({
      subject: 'CN=member',
      issuer: `CN=${this.name}`,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      notBefore: new Date(from),
      notAfter: new Date(until),
      signingAlgorithm: algorithm,
      extensions: [
        new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
        new ExtendedKeyUsageExtension([...usages]),
      ],
    });
    const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
    return {
      cert: certificate.toString('pem'),
      key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
    };
  }
}
