// SPDX-License-Identifier: Apache-2.0
import { TestAuthority, type TestCertificateOptions } from '@etcd-operator/tools';
import { beforeAll, describe, expect, test } from 'vitest';
import { certificateProblems } from './certificate-check.ts';
import type { TlsFiles } from './tls-secret.ts';

const needs = { names: ['x.c.ns.svc'], usages: 'serverAndClient', now: Date.parse('2026-06-01T00:00:00Z') } as const;
let authority: TestAuthority;
let anotherAuthority: TestAuthority;

beforeAll(async () => {
  authority = await TestAuthority.create('authority');
  anotherAuthority = await TestAuthority.create('another authority');
});

async function issue(leaf: TestCertificateOptions = {}): Promise<TlsFiles> {
  return { style: 'own', ca: authority.ca, ...(await authority.issue({ names: ['*.c.ns.svc'], ...leaf })) };
}

describe('certificates are checked before a pod is made (operator rule 18)', () => {
  test('a good one has no problems', async () => {
    expect(certificateProblems(await issue(), needs)).toEqual([]);
  });

  test('a name that is not covered is named', async () => {
    const files = await issue({ names: ['*.other.ns.svc'] });
    expect(certificateProblems(files, needs)).toEqual(['its certificate does not cover x.c.ns.svc']);
  });

  test('both usages are needed of a member', async () => {
    const files = await issue({ usages: ['serverAuth'] });
    expect(certificateProblems(files, needs)).toEqual(['its certificate is not for client authentication']);
  });

  test('a CA that never ends a certificate costs no time', async () => {
    const ca = '-----BEGIN CERTIFICATE-----\n'.repeat(200_000);
    expect(certificateProblems({ ...(await issue()), ca }, needs)).toEqual(['its CA holds no certificate']);
  });

  test('an expired one says when', async () => {
    const [problem] = certificateProblems(await issue({ until: '2026-05-01' }), needs);
    expect(problem).toMatch(/^its certificate expired on May/);
  });

  test('one of another authority is not trusted', async () => {
    expect(certificateProblems({ ...(await issue()), ca: anotherAuthority.ca }, needs)).toEqual([
      'its certificate was not issued by its CA',
    ]);
  });

  test('a bundle of authorities is searched', async () => {
    expect(certificateProblems({ ...(await issue()), ca: `${anotherAuthority.ca}\n${authority.ca}` }, needs)).toEqual(
      [],
    );
  });

  test('an authority between the certificate and its CA is sent along, as issuers of today do', async () => {
    const between = await authority.subordinate('between');
    const lowest = await between.subordinate('lowest');
    const { cert, key } = await lowest.issue({ names: ['*.c.ns.svc'] });
    const files = { style: 'own', ca: authority.ca, key } as const;
    const chain = `${cert}\n${lowest.ca}\n${between.ca}`;
    expect(certificateProblems({ ...files, cert: chain }, needs)).toEqual([]);
    for (const broken of [cert, `${cert}\n${lowest.ca}`, `${cert}\n${between.ca}`])
      expect(certificateProblems({ ...files, cert: broken }, needs)).toEqual([
        'its certificate was not issued by its CA',
      ]);
    expect(certificateProblems({ ...files, ca: anotherAuthority.ca, cert: chain }, needs)).toHaveLength(1);
  });

  test('a certificate that is sent along and is no authority leads nowhere', async () => {
    const [leaf, other] = [await issue(), await anotherAuthority.issue({ names: ['*.c.ns.svc'] })];
    const cert = `${other.cert}\n${leaf.cert}`;
    expect(certificateProblems({ ...leaf, ...other, cert }, needs)).toEqual([
      'its certificate was not issued by its CA',
    ]);
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
