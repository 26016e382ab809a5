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
  ])('%s and %s: %s', (pattern, endpoint, isAllowed) => {
    const outcome = failure(endpoint, { allow: [pattern] });
    expect(typeof outcome === 'string').toBe(isAllowed);
  });

  test('never let through what is always refused', () => {
    expect(failure('http://127.0.0.1', { allow: ['*', '127.0.0.1'] })).toMatchObject(refused);
  });
});

test('one bad address among good ones condemns them all', () => {
  expect(() => checkAddresses('a.test', ['10.0.0.1', '127.0.0.1'], {})).toThrow('or leads to one');
  expect(() => checkAddresses('a.test', ['10.0.0.1', '10.0.0.2'], {})).not.toThrow();
});
