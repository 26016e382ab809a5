// SPDX-License-Identifier: Apache-2.0
import type { MutatingWebhook, WebhookClientConfig } from '@operator-parts/kube';
import { expect, test } from 'vitest';
import { servingNames } from './serving-names.ts';

const webhook = (clientConfig: WebhookClientConfig): MutatingWebhook => ({
  name: 'a.example.com',
  clientConfig,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
});
const service = { service: { namespace: 'default', name: 'sidecar-injector' } };

test.each([
  [[], []],
  [[service, service], ['sidecar-injector.default.svc']],
  [[{ url: 'https://127.0.0.1:9443/inject' }], ['127.0.0.1']],
  [
    [{ url: 'https://[::1]:9443/inject' }, { url: 'https://host/inject' }],
    ['::1', 'host'],
  ],
])('the client configurations %j need the names %j', (configs, names) => {
  expect(servingNames({ webhooks: configs.map(webhook) })).toEqual(names);
});
