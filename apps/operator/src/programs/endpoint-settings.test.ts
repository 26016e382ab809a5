// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { endpointSettings } from './endpoint-settings.ts';

const read = (flag: string) =>
  endpointSettings({ 'allow-etcd-endpoints': flag }, { KUBERNETES_SERVICE_HOST: '10.96.0.1' });

test('nothing is granted unless a flag says so, and the API server is always refused', () => {
  const { granted, refused } = read('');
  expect(granted).toEqual([]);
  expect(refused).toEqual(expect.arrayContaining(['kubernetes.default.svc', '10.96.0.1']));
});

test('hosts and networks are granted, and passwords without TLS only where http:// stands before them', () => {
  expect(read('*.Example.com, 10.0.0.0/8,http://old.example.com:2379,').granted).toEqual([
    { pattern: '*.example.com', allowsPlainLogin: false },
    { pattern: '10.0.0.0/8', allowsPlainLogin: false },
    { pattern: 'old.example.com:2379', allowsPlainLogin: true },
  ]);
});

test.each(['https://x', '10.0.0.0/33', 'a b', 'x/y'])(
  '%s is a mistake that the program does not start with',
  (entry) => {
    expect(() => read(entry)).toThrow(`invalid entry "${entry}" in -allow-etcd-endpoints`);
  },
);
