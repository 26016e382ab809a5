// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { sigV4Signer } from '../s3/presign.ts';
import { encodedPath, signedUrl } from './query-signature.ts';

// The example in AWS's description of the algorithm.
const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const url = new URL('https://examplebucket.s3.amazonaws.com/test.txt');
const now = Date.parse('2013-05-24T00:00:00Z');

test('the example of AWS comes out as they have it', () => {
  expect(signedUrl(url, sigV4Signer(keys, 'us-east-1'), now, 86_400).href).toBe(
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
      '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z' +
      '&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
      '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

test('a session goes along, within what is signed', () => {
  const session = { ...keys, sessionToken: 'a+token/with=signs' };
  const signed = signedUrl(url, sigV4Signer(session, 'us-east-1'), now, 86_400);
  expect(signed.searchParams.get('X-Amz-Security-Token')).toBe('a+token/with=signs');
  expect(signed.searchParams.get('X-Amz-Signature')).not.toMatch(/^aeeed9/);
});

test('paths keep their slashes, and nothing else that is not plain', () => {
  expect(encodedPath("a/b c/!'()*~-_.ü")).toBe('a/b%20c/%21%27%28%29%2A~-_.%C3%BC');
});
