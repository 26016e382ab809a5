// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { hadShell } from './etcd-image.ts';

test.each([
  ['3.3.25', true],
  ['3.4.23', true],
  ['3.5.6', true],
  ['3.5.7', false],
  ['3.6.16', false],
  ['3.7.3', false],
])('the official image of %s had a shell: %s', (version, expected) => {
  expect(hadShell(version)).toBe(expected);
});
