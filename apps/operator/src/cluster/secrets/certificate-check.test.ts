// SPDX-License-Identifier: Apache-2.0
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { beforeAll, describe, expect, test } from 'vitest';
import { certificateProblems } from './certificate-check.ts';
import type { TlsFiles } from './tls-secret.ts';

const now = Date.parse('2026-06-01T00:00:00Z');
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const needs = { names: ['x.c.ns.svc'], usages: 'serverAndClient', now } as const;
let authority: { readonly pem: string; readonly keys: webcrypto.CryptoKeyPair };
let stranger: { readonly pem: string; readonly keys: webcrypto.CryptoKeyPair };

async function makeAuthority(name: string) {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    notBefore: new Date('2026-01-01'),
    notAfter: new Date('2027-01-01'),
    signingAlgorithm: algorithm,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  return { pem: certificate.toString('pem'), keys };
}

interface Leaf {
  readonly names?: readonly string[];
  readonly usages?: readonly string[];
  readonly until?: string;
}

async function issue({
  names = ['*.c.ns.svc'],
  usages = ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'],
  until = '2027-01-01',
}: Leaf = {}): Promise<TlsFiles> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=member',
    issuer: 'CN=authority',
    publicKey: keys.publicKey,
    signingKey: authority.keys.privateKey,
    notBefore: new Date('2026-01-01'),
    notAfter: new Date(until),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value }))),
      new x509.ExtendedKeyUsageExtension([...usages]),
    ],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    style: 'own',
    cert: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
    ca: authority.pem,
  };
}

beforeAll(async () => {
  authority = await makeAuthority('authority');
  stranger = await makeAuthority('stranger');
});

describe('certificates are checked before a pod is made (rule 18)', () => {
  test('a good one has no problems', async () => {
    expect(certificateProblems(await issue(), needs)).toEqual([]);
  });

  test('a name that is not covered is named', async () => {
    const files = await issue({ names: ['*.other.ns.svc'] });
    expect(certificateProblems(files, needs)).toEqual(['its certificate does not cover x.c.ns.svc']);
  });

  test('both usages are needed of a member', async () => {
    const files = await issue({ usages: ['1.3.6.1.5.5.7.3.1'] });
    expect(certificateProblems(files, needs)).toEqual(['its certificate is not for client authentication']);
  });

  test('an expired one says when', async () => {
    const [problem] = certificateProblems(await issue({ until: '2026-05-01' }), needs);
    expect(problem).toMatch(/^its certificate expired on May/);
  });

  test('one of another authority is not trusted', async () => {
    expect(certificateProblems({ ...(await issue()), ca: stranger.pem }, needs)).toEqual([
      'its certificate was not issued by its CA',
    ]);
  });

  test('a bundle of authorities is searched', async () => {
    expect(certificateProblems({ ...(await issue()), ca: `${stranger.pem}\n${authority.pem}` }, needs)).toEqual([]);
  });

  test('a key of another certificate is noticed', async () => {
    const { key } = await issue();
    expect(certificateProblems({ ...(await issue()), key }, needs)).toEqual([
      'its private key does not belong to its certificate',
    ]);
  });

  test.each([
    ['cert', 'its certificate cannot be read'],
    ['key', 'its private key cannot be read'],
    ['ca', 'its CA holds no certificate'],
  ] as const)('rubbish as %s is said, not thrown', async (part, problem) => {
    const [first] = certificateProblems({ ...(await issue()), [part]: 'rubbish' }, needs);
    expect(first).toContain(problem);
  });
});
