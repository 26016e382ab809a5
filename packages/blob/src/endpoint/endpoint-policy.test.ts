// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { checkAddresses, checkEndpoint, type EndpointPolicy } from './endpoint-policy.ts';

const refused = { code: 'Configuration', retryable: false };

function failure(text: string, policy: EndpointPolicy = {}): unknown {
  try {
    return checkEndpoint(text, policy).href;
  } catch (error) {
    return error;
  }
}

describe('endpoints', () => {
  test.each([
    ['https://s3.example.com', 'https://s3.example.com/'],
    ['http://minio.storage.svc:9000', 'http://minio.storage.svc:9000/'],
    ['minio.storage.svc:9000', 'https://minio.storage.svc:9000/'],
    ['s3.example.com', 'https://s3.example.com/'],
    ['https://10.0.0.5/base', 'https://10.0.0.5/base'],
    ['https://[fd12::1]:9000', 'https://[fd12::1]:9000/'],
  ])('%s is allowed', (text, expected) => {
    expect(failure(text)).toBe(expected);
  });

  test.each([
    'http://127.0.0.1:9000',
    'http://localhost',
    'http://LOCALHOST.',
    'https://a.b.localhost',
    'http://2130706433',
    'http://0x7f.1',
    'http://0177.0.0.1',
    'http://[::1]',
    'http://[::ffff:169.254.169.254]',
    'http://169.254.169.254/latest/meta-data',
    'http://0',
    'ftp://example.com',
    'file:///etc/passwd',
    'unix:///run/x.sock',
    'gopher://example.com',
    'https://user:secret@example.com',
    'https://example.com?x=1',
    'https://example.com#x',
    'https://',
    'https://exa mple.com',
  ])('%s is refused', (text) => {
    expect(failure(text)).toMatchObject(refused);
  });

  test('a password in one is not repeated', () => {
    expect(String(failure('https://user:hunter2secret@example.com'))).not.toContain('hunter2secret');
    expect(String(failure('https://user:hunter2secret@exa mple.com'))).not.toContain('hunter2secret');
  });

  test('tests may use loopback if they say so', () => {
    expect(failure('http://127.0.0.1:9000', { allowLocal: true })).toBe('http://127.0.0.1:9000/');
  });

  test('plain HTTP can be forbidden', () => {
    expect(failure('http://s3.example.com', { schemes: ['https'] })).toMatchObject(refused);
  });
});

describe('patterns', () => {
  test.each([
    ['*.amazonaws.com', 'https://s3.eu-central-1.amazonaws.com', true],
    ['*.amazonaws.com', 'https://amazonaws.com', false],
    ['*.amazonaws.com', 'https://amazonaws.com.evil.test', false],
    ['*.amazonaws.com', 'https://evilamazonaws.com', false],
    ['minio.storage.svc', 'http://minio.storage.svc:9000', true],
    ['minio.storage.svc:9000', 'http://minio.storage.svc:9000', true],
    ['minio.storage.svc:9000', 'http://minio.storage.svc:9001', false],
    ['minio.storage.svc:443', 'https://minio.storage.svc', true],
    ['minio.storage.svc', 'http://minioxstorage.svc', false],
    ['s3-*.example.com', 'https://s3-a.example.com', true],
    ['S3.Example.COM', 'https://s3.example.com', true],
    ['*', 'https://anything.test', true],
    ['10.0.0.*', 'https://10.0.0.7', true],
    ['', 'https://a.test', false],
    ['(a+)+$', 'https://a.test', false],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.0.0.0/8', 'https://10.example.com', false],
    ['fd12::/16', 'https://[fd12::1]:9000', true],
    ['fd12::1', 'https://[fd12::1]:9000', true],
    ['[fd12::1]:9000', 'https://[fd12::1]:9000', true],
    ['[fd12::1]:9001', 'https://[fd12::1]:9000', false],
    ['[fd12::2]:9000', 'https://[fd12::1]:9000', false],
    ['10.0.0.0/33', 'https://10.1.2.3', false],
  ])('%s and %s: %s', (pattern, endpoint, isAllowed) => {
    const outcome = failure(endpoint, { allow: [pattern] });
    expect(typeof outcome === 'string').toBe(isAllowed);
  });

  test('never let through what is always refused', () => {
    expect(failure('http://127.0.0.1', { allow: ['*', '127.0.0.1'] })).toMatchObject(refused);
  });
});

describe('what is denied', () => {
  const policy: EndpointPolicy = {
    allow: ['*'],
    deny: ['kubernetes.default.svc', 'kubernetes.default.svc.*', '10.96.0.1'],
  };

  test.each([
    'https://kubernetes.default.svc',
    'https://KUBERNETES.default.svc.',
    'https://kubernetes.default.svc.cluster.local:443',
    'https://10.96.0.1',
    'https://[::ffff:10.96.0.1]',
    'https://[64:ff9b::10.96.0.1]',
    'http://0x0a.0x60.1',
  ])('%s is refused, whatever is allowed', (endpoint) => {
    expect(failure(endpoint, policy)).toMatchObject(refused);
  });

  test('a name that leads there is refused once it is looked up', () => {
    expect(failure('https://innocent.test', policy)).toBe('https://innocent.test/');
    expect(() => checkAddresses('innocent.test', ['10.0.0.1', '10.96.0.1'], policy)).toThrow('never connects to');
    expect(() => checkAddresses('innocent.test', ['10.0.0.1'], policy)).not.toThrow();
  });
});

test('one bad address among good ones condemns them all', () => {
  expect(() => checkAddresses('a.test', ['10.0.0.1', '127.0.0.1'], {})).toThrow('or resolves to, a loopback');
  expect(() => checkAddresses('a.test', ['10.0.0.1', '10.0.0.2'], {})).not.toThrow();
});
