// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { environmentProxy } from './environment-proxy.ts';

const proxied = (server: string, noProxy: string) =>
  environmentProxy(server, { https_proxy: 'https://proxy', HTTP_PROXY: 'plain', NO_PROXY: noProxy });

test('follows the scheme of the server', () => {
  expect(proxied('https://api:6443', '')).toBe('https://proxy');
  expect(proxied('http://api:8080', '')).toBe('http://plain');
  expect(environmentProxy('https://api', {})).toBeUndefined();
  expect(environmentProxy('nonsense', { HTTPS_PROXY: 'x' })).toBeUndefined();
});

test.each(['https://localhost:6443', 'https://127.0.0.1', 'https://[::1]:6443'])('%s is never proxied', (server) => {
  expect(proxied(server, '')).toBeUndefined();
});

test.each([
  ['https://api.example.com', 'example.com', false],
  ['https://example.com', 'example.com', false],
  ['https://example.com', '.example.com', true],
  ['https://api.example.com', '.example.com', false],
  ['https://api.example.com', '*.example.com', false],
  ['https://notexample.com', 'example.com', true],
  ['https://api', '*', false],
  ['https://api', ' other , API ', false],
  ['https://api:6443', 'api:6443', false],
  ['https://api:6443', 'api:443', true],
  ['https://api', 'api:443', false],
  ['https://10.1.2.3:443', '10.0.0.0/8', false],
  ['https://11.1.2.3:443', '10.0.0.0/8', true],
  ['https://10.1.2.3', '10.1.2.3', false],
  ['https://10.1.2.3', '10.1.2.3/99', true],
  ['https://[fd00::1]', 'fd00::/8', false],
  ['https://[fd00::1]', 'fd00::1', false],
  ['https://api', '10.0.0.0/8,nonsense/x', true],
])('%s with NO_PROXY=%s is proxied: %s', (server, noProxy, expected) => {
  expect(proxied(server, noProxy) !== undefined).toBe(expected);
});
