// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { isProxied, proxyOf } from './proxy.ts';

test.each([
  ['nothing', {}, undefined],
  ['an empty one', { HTTPS_PROXY: '' }, undefined],
  ['one of plain HTTP only, which is for other things', { HTTP_PROXY: 'http://p:1' }, undefined],
  ['a URL', { HTTPS_PROXY: 'http://p.example:3128' }, 'http://p.example:3128/'],
  ['a host and a port', { https_proxy: 'p.example:3128' }, 'http://p.example:3128/'],
  ['one that is reached over TLS', { HTTPS_PROXY: 'https://u:w@p.example' }, 'https://u:w@p.example/'],
])('the proxy of an environment with %s', (_title, env, url) => {
  expect(proxyOf(env)?.url.href).toBe(url);
});

test.each(['socks5://u:secret@p:1080', 'http://', '://secret'])('%s is no proxy, and is not in the message', (text) => {
  expect(() => proxyOf({ HTTPS_PROXY: text })).toThrow(/^HTTPS_PROXY is not the URL of an http or https proxy$/);
});

test.each([
  ['', 's3.amazonaws.com', true],
  ['*', 's3.amazonaws.com', false],
  ['.svc,.cluster.local', 'minio.storage.svc', false],
  ['.svc,.cluster.local', 'svc', true],
  ['example.com', 'example.com', false],
  ['example.com', 'Bucket.Example.com.', false],
  ['*.example.com', 'bucket.example.com', false],
  ['*.example.com', 'example.com', true],
  ['example.com', 'badexample.com', true],
  ['example.com:9000', 'example.com', true],
  ['example.com:443', 'example.com', false],
  ['10.0.0.0/8 , fd00::/8', '10.1.2.3', false],
  ['10.0.0.0/8,fd00::/8', 'fd00::1', false],
  ['10.0.0.0/8', '11.1.2.3', true],
  ['10.0.0.1', '10.0.0.1', false],
])('with NO_PROXY=%j, %s is proxied: %j', (except, host, expected) => {
  const proxy = proxyOf({ HTTPS_PROXY: 'p:1', NO_PROXY: except });
  expect(proxy && isProxied(proxy, host, '443')).toBe(expected);
});
