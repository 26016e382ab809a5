// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { hintFor } from './etcd-versions.ts';

test('a version that can be had says how, one that cannot says which ones are there', () => {
  expect(hintFor('3.7.3', ['3.5.35', '3.6.16'])).toBe(
    'the playground has etcd 3.5.35, 3.6.16; run "npm run tools -- etcd@3.7" in another terminal to get 3.7.3',
  );
  expect(hintFor('3.2.13', ['3.3.25', '3.4.23', '3.4.31', '3.5.35', '3.6.16', '3.7.3'])).toBe(
    'the playground has etcd 3.3.25, 3.4.23, 3.4.31, 3.5.35, 3.6.16, 3.7.3',
  );
  expect(hintFor('3.2.13', ['3.6.16'])).toContain('"npm run tools -- etcd@3.7" in another terminal to get 3.7.3');
});
