// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { storageSettings } from './storage-settings.ts';

const unset = {
  'backup-directory': '',
  'allow-endpoints': '',
  'path-prefix': '',
  'ambient-credentials': '',
  'require-secret-label': false,
};
const env = { KUBERNETES_SERVICE_HOST: '10.96.0.1' };

test("no object gets the operator's own credentials unless a flag says so", () => {
  expect(storageSettings(unset, env)).toMatchObject({ ambient: [] });
});

test.each([
  ['team-a', ['team-a']],
  [' team-a , team-b,', ['team-a', 'team-b']],
  ['*', 'all'],
])('-ambient-credentials=%s grants them to %j', (flag, ambient) => {
  expect(storageSettings({ ...unset, 'ambient-credentials': flag }, env)).toMatchObject({ ambient });
});

test('stores may be anywhere but at the API server, unless a flag names where', () => {
  const deny = expect.arrayContaining(['kubernetes.default.svc', '10.96.0.1']);
  expect(storageSettings(unset, env).policy).toEqual({ deny });
  const flag = '*.amazonaws.com,10.0.0.0/8';
  expect(storageSettings({ ...unset, 'allow-endpoints': flag }, env).policy).toEqual({
    deny,
    allow: ['*.amazonaws.com', '10.0.0.0/8'],
  });
  expect(() => storageSettings({ ...unset, 'allow-endpoints': 'http://x' }, env)).toThrow('invalid entry "http://x"');
});

test('-require-secret-label refuses Secrets without the label', () => {
  expect(storageSettings({ ...unset, 'require-secret-label': true }, env)).toMatchObject({ secretLabel: 'required' });
});
