// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { slugger } from './slugs.ts';

test('a heading gets the anchor that GitHub gives it', () => {
  const slug = slugger();
  expect(slug('Is it running, and does it work?')).toBe('is-it-running-and-does-it-work');
  expect(slug("The operator's own cloud identity")).toBe('the-operators-own-cloud-identity');
  expect(slug('spec.pod and kubectl_etcd')).toBe('specpod-and-kubectl_etcd');
});

test('the same heading again gets a number', () => {
  const slug = slugger();
  expect([slug('Rules'), slug('Rules'), slug('Rules')]).toEqual(['rules', 'rules-1', 'rules-2']);
});
