// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { decoded, secretNamesIn } from './named-secrets.ts';
import { redact } from './redact.ts';

const key = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIPlantedKey\n-----END EC PRIVATE KEY-----';

test.each([
  ['a variable', { env: [{ name: 'AWS_SECRET', value: 'planted1' }] }],
  ['a variable that etcd knows', { env: [{ name: 'ETCD_ROOT_PASSWORD', value: 'planted1' }] }],
  ['a login in a URL', 'https://root:planted1@10.0.0.1:2379/x'],
  ['a header', 'authorization: Bearer planted1-planted1'],
  ['a token', 'eyJhbGciOiJSUzI1.planted1planted1.planted1'],
  ['an option', 'etcdctl --user=root:planted1 get x'],
  ['a line of a log', '{"msg":"login","password":"planted1"}'],
  ['a private key', `text ${key.replace('PlantedKey', 'planted1')} text`],
  ['a value of a Secret, in words', 'it said: correct horse planted1 staple'],
  ['the same in base64', `data: ${Buffer.from('correct horse planted1').toString('base64')}`],
  ['what kubectl keeps', { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'planted1' } }],
  ['who wrote which field', { managedFields: [{ manager: 'planted1' }] }],
])('%s is taken out', (_name, value) => {
  const text = JSON.stringify(redact({ value }, ['correct horse planted1']));
  expect(text).not.toContain('planted1');
  expect(text).not.toContain(Buffer.from('correct horse planted1').toString('base64'));
});

test.each(['hunter2', 'pass\n', '[default]\naws_secret_access_key = planted1'])(
  'a Secret that holds %j is taken out',
  (held) => {
    const text = `the log says ${held.trim().split('= ').at(-1)}`;
    expect(redact(text, decoded(Buffer.from(held).toString('base64')))).toBe('the log says (removed)');
  },
);

test('what helps stays', () => {
  const value = {
    env: [{ name: 'ETCD_QUOTA_BACKEND_BYTES', value: '8589934592' }],
    spec: { TLS: { static: { operatorSecret: 'safe-client' } } },
    endpoint: 'https://example-client.default.svc:2379',
    log: '{"level":"warn","msg":"apply request took too long","took":"1.2s"}',
  };
  expect(redact(value, [])).toEqual(value);
});

test('every Secret that an object names is found, however deep', () => {
  const spec = {
    TLS: { static: { operatorSecret: 'a', member: { peerSecret: 'b' } } },
    auth: { secret: 'c' },
    volumes: [{ secret: { secretName: 'd' } }],
    env: [{ valueFrom: { secretKeyRef: { name: 'e', key: 'k' } } }],
  };
  expect([...secretNamesIn(spec)].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
});
