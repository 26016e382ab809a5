// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { billOfMaterials } from './bill-of-materials.ts';

const contents = {
  name: 'etcd-operator',
  version: '1.2.3',
  packages: [
    {
      name: '@scope/thing',
      version: '1.0.0',
      licence: 'MIT',
      integrity: `sha512-${Buffer.from([1, 2, 255]).toString('base64')}`,
    },
  ],
  files: [{ path: '/usr/local/bin/node', sha256: 'ab'.repeat(32) }],
};

test('packages carry their package URL, licence and hash; other files their hash', () => {
  const bill = JSON.parse(billOfMaterials(contents));
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
  expect(bill.metadata.component).toMatchObject({ name: 'etcd-operator', version: '1.2.3' });
  expect(bill.components).toEqual([
    {
      type: 'library',
      name: '@scope/thing',
      version: '1.0.0',
      purl: 'pkg:npm/%40scope/thing@1.0.0',
      licenses: [{ expression: 'MIT' }],
      hashes: [{ alg: 'SHA-512', content: '0102ff' }],
    },
    { type: 'file', name: '/usr/local/bin/node', hashes: [{ alg: 'SHA-256', content: 'ab'.repeat(32) }] },
  ]);
});

test('the same contents give the same text, others another serial number', () => {
  const serial = (text: string): string => JSON.parse(text).serialNumber;
  expect(billOfMaterials(contents)).toBe(billOfMaterials(contents));
  expect(serial(billOfMaterials(contents))).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(serial(billOfMaterials({ ...contents, files: [] }))).not.toBe(serial(billOfMaterials(contents)));
});
