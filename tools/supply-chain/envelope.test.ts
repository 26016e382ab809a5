// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { seal, unseal } from './envelope.ts';

const statement = { subject: [{ name: 'etcd-operator.oci.tar' }] };
const makeEcKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const makeEdKeys = () => generateKeyPairSync('ed25519');

describe.each<readonly [string, () => { publicKey: KeyObject; privateKey: KeyObject }]>([
  ['ECDSA', makeEcKeys],
  ['Ed25519', makeEdKeys],
])('a statement signed with %s', (_, makeKeys) => {
  test('is read with the public key', () => {
    const { publicKey, privateKey } = makeKeys();
    expect(unseal(seal(statement, privateKey), publicKey)).toEqual(statement);
  });

  test('is refused with another key', () => {
    expect(() => unseal(seal(statement, makeKeys().privateKey), makeKeys().publicKey)).toThrow(/no signature/);
  });

  test('is refused when it was changed', () => {
    const { publicKey, privateKey } = makeKeys();
    const payload = Buffer.from('{"subject":[]}').toString('base64');
    expect(() => unseal({ ...seal(statement, privateKey), payload }, publicKey)).toThrow(/no signature/);
  });
});

test('keys of another kind are refused with what to use', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  expect(() => seal(statement, privateKey)).toThrow(/use Ed25519 or ECDSA/);
});
