// SPDX-License-Identifier: Apache-2.0
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { BlobError } from '../blob-error.ts';
import { codeOfStatus, connectionError, faultCopy, redactor, storeError } from './fault.ts';

const plain = redactor([]);

describe('secrets', () => {
  test('are masked wherever they stand', () => {
    const redact = redactor(['hunter2secret', undefined, 'ab']);
    expect(redact('key hunter2secret and hunter2secret, ab')).toBe('key *** and ***, ab');
  });

  test('in the queries of URLs are masked, whatever they are', () => {
    expect(plain('PUT https://host/b/o?upload_id=abc&x=1 failed, see http://other/?sig=1.')).toBe(
      'PUT https://host/b/o?*** failed, see http://other/?***',
    );
  });

  test('do not come along with the cause of an error', () => {
    const original = Object.assign(new Error('refused hunter2secret'), {
      $response: { headers: { authorization: 'hunter2secret' } },
      request: { headers: { Authorization: 'hunter2secret' } },
    });
    const copy = faultCopy(original, redactor(['hunter2secret']));
    expect(inspect(copy, { depth: 20, showHidden: true })).not.toContain('hunter2secret');
    expect(copy.message).toBe('refused ***');
  });
});

describe('connections that fail', () => {
  test.each([
    ['ECONNREFUSED', 'Unavailable'],
    ['ECONNRESET', 'Unavailable'],
    ['ENOTFOUND', 'Unavailable'],
    ['EAI_AGAIN', 'Unavailable'],
    ['HPE_INVALID_HEADER_TOKEN', 'Unavailable'],
    ['ETIMEDOUT', 'Timeout'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'Configuration'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'Configuration'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'Configuration'],
    ['CERT_HAS_EXPIRED', 'Configuration'],
  ])('%s means %s', (code, expected) => {
    const error = Object.assign(new Error('it failed'), { code });
    expect(connectionError(error, 'asking', plain)).toMatchObject({ code: expected });
  });

  test('are found below what SDKs wrap around them, also several at once', () => {
    const refused = Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' });
    const wrapped = new Error('request failed', { cause: new AggregateError([new Error('odd'), refused], 'both') });
    expect(connectionError(wrapped, 'asking', plain)).toMatchObject({
      code: 'Unavailable',
      message: 'asking: connect refused',
    });
  });

  test('because we refused to make them say so', () => {
    const ours = new Error('request failed', { cause: new BlobError('Configuration', 'that is refused') });
    expect(connectionError(ours, 'asking', plain)).toMatchObject({ code: 'Configuration', retryable: false });
  });

  test('are not everything that can be thrown', () => {
    expect(connectionError(new Error('odd'), 'asking', plain)).toBeUndefined();
    expect(connectionError('text', 'asking', plain)).toBeUndefined();
    const endless = new Error('loop');
    endless.cause = endless;
    expect(connectionError(endless, 'asking', plain)).toBeUndefined();
  });
});

describe('answers', () => {
  test.each([
    [401, 'Denied'],
    [403, 'Denied'],
    [404, 'NotFound'],
    [408, 'Timeout'],
    [429, 'Throttled'],
    [500, 'Unavailable'],
    [502, 'Unavailable'],
    [503, 'Unavailable'],
    [507, 'NoSpace'],
    [301, 'Configuration'],
    [418, 'Unknown'],
    [undefined, 'Unknown'],
  ] as const)('%s means %s if nothing else is known', (status, code) => {
    expect(codeOfStatus(status)).toBe(code);
  });

  test('are reported with the problem, what to do, and the error code of the store', () => {
    const fault = { name: 'AccessDenied', status: 403, message: 'Access Denied.', retryAfter: '7' };
    const error = storeError('Denied', fault, 'storing a/b', new Error('x'), plain);
    expect(error.message).toBe(
      'storing a/b: Access Denied; check the credentials and their permissions (AccessDenied, HTTP 403)',
    );
    expect(error.retryAfterMs).toBe(7_000);
  });

  test('of any length cost no time and fill no status', () => {
    const words = `${'http://'.repeat(100_000)}${' '.repeat(1_000_000)}x`;
    const fault = { name: 'Odd', status: 500, message: words, retryAfter: undefined };
    const error = storeError(
      'Unavailable',
      fault,
      'storing a/b',
      faultCopy(new Error(words), redactor([])),
      redactor([]),
    );
    expect(error.message.length).toBeLessThan(5_000);
    expect(String(error.cause).length).toBeLessThan(5_000);
  });

  test.each([undefined, '', 'Wed, 21 Oct 2026 07:28:00 GMT', '-3'])(
    'a Retry-After of %j is no number',
    (retryAfter) => {
      const fault = { name: '', status: 503, message: '', retryAfter };
      expect(storeError('Unavailable', fault, 'asking', new Error('x'), plain).retryAfterMs).toBeUndefined();
    },
  );
});
