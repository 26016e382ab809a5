// SPDX-License-Identifier: Apache-2.0
import type { MutatingWebhookConfiguration } from '@operator-parts/kube';
import { expect, test } from 'vitest';
import { failurePolicyAt } from './failure-policy.ts';

const rest = { sideEffects: 'None', admissionReviewVersions: ['v1'] } as const;
const service = { namespace: 'default', name: 'sidecar-injector' };

const configuration: MutatingWebhookConfiguration = {
  webhooks: [
    { ...rest, name: 'a.example.com', clientConfig: { service: { ...service, path: '/a' } }, failurePolicy: 'Ignore' },
    { ...rest, name: 'b.example.com', clientConfig: { service: { ...service, path: '/b' } }, failurePolicy: 'Fail' },
    { ...rest, name: 'c.example.com', clientConfig: { url: 'https://127.0.0.1:1/c' }, failurePolicy: 'Ignore' },
    { ...rest, name: 'd.example.com', clientConfig: { url: 'https://127.0.0.1:1/shared' }, failurePolicy: 'Ignore' },
    { ...rest, name: 'e.example.com', clientConfig: { url: 'https://127.0.0.1:2/shared' } },
  ],
};

test.each([
  ['/a', 'Ignore'],
  ['/b', 'Fail'],
  ['/c', 'Ignore'],
  ['/shared', 'Fail'],
  ['/unknown', 'Fail'],
])('who calls at %s has the policy %s', (path, policy) => {
  expect(failurePolicyAt(path, configuration)).toBe(policy);
});

test('without a configuration nothing is ignored', () => {
  expect(failurePolicyAt('/a', undefined)).toBe('Fail');
});
