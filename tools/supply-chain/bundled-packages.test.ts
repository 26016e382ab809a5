// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { bundledPackages } from './bundled-packages.ts';

const entry = (version: string) => ({ version, license: 'MIT', integrity: `sha512-${version}` });
const lock = {
  packages: {
    '': {},
    'node_modules/undici': entry('7.0.0'),
    'node_modules/@aws-sdk/client-s3': entry('3.1.0'),
    'node_modules/@aws-sdk/client-s3/node_modules/undici': entry('6.0.0'),
  },
};

test('each package is named once, with the version that is bundled, nested ones as well', () => {
  const files = [
    'apps/operator/src/index.ts',
    'node_modules/undici/index.js',
    'node_modules/undici/lib/api.js',
    'node_modules/@aws-sdk/client-s3/dist/index.js',
    'node_modules/@aws-sdk/client-s3/node_modules/undici/index.js',
  ];
  expect(bundledPackages(files, lock).map(({ name, version }) => `${name}@${version}`)).toEqual([
    '@aws-sdk/client-s3@3.1.0',
    'undici@6.0.0',
    'undici@7.0.0',
  ]);
});

test('a package that the lock file does not pin is not shipped', () => {
  expect(() => bundledPackages(['node_modules/left-pad/index.js'], lock)).toThrow(/node_modules\/left-pad/);
});
