// SPDX-License-Identifier: Apache-2.0
import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import { Storage } from '@google-cloud/storage';
import { expect, test } from 'vitest';
import { expectClean } from '../testing/expect-clean.ts';
import { specialKeys } from '../testing/special-keys.ts';
import { openGcs } from './open-gcs.ts';
import { signedRead } from './sign-read.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const account = { client_email: 'lender@project.test', private_key };
const google = new URL('https://storage.googleapis.com/');
const now = Date.parse('2026-02-01T09:00:00Z');

test('URLs are the ones that the SDK of Google would make, whatever the key', async () => {
  const bucket = new Storage({ credentials: account, projectId: 'project' }).bucket('backups');
  // The example must not have expired yet.
  const today = Math.floor(Date.now() / 1000) * 1000;
  for (const key of ['prod/etcd.backup', ...specialKeys]) {
    const ours = signedRead(google, 'backups', account, { key, now: today, seconds: 3600 });
    const [theirs] = await bucket.file(key).getSignedUrl({
      version: 'v4',
      action: 'read',
      accessibleAt: new Date(today),
      expires: new Date(today + 3_600_000),
    });
    expect(ours.href).toBe(theirs);
  }
});

test('the signature is over the canonical request, as Google describes it', () => {
  const endpoint = new URL('https://gcs.example.test:4443/base/');
  const url = signedRead(endpoint, 'backups', account, { key: 'a b', now, seconds: 60 });
  expect(`${url.origin}${url.pathname}`).toBe('https://gcs.example.test:4443/base/backups/a%20b');
  const { query, signature } =
    /^\?(?<query>.*)&X-Goog-Signature=(?<signature>[0-9a-f]+)$/.exec(url.search)?.groups ?? {};
  expect(query).toBe(
    'X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=lender%40project.test%2F20260201%2Fauto%2Fstorage%2Fgoog4_request' +
      '&X-Goog-Date=20260201T090000Z&X-Goog-Expires=60&X-Goog-SignedHeaders=host',
  );
  const request = `GET\n/base/backups/a%20b\n${query}\nhost:gcs.example.test:4443\n\nhost\nUNSIGNED-PAYLOAD`;
  const digest = createHash('sha256').update(request).digest('hex');
  const text = `GOOG4-RSA-SHA256\n20260201T090000Z\n20260201/auto/storage/goog4_request\n${digest}`;
  expect(verify('sha256', Buffer.from(text), publicKey, Buffer.from(signature ?? '', 'hex'))).toBe(true);
});

test('an invalid key is an error without the key', async () => {
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  for (const bad of ['MARKER-not-a-key', elliptic.export({ type: 'pkcs8', format: 'pem' }).toString()]) {
    const json = JSON.stringify({ type: 'service_account', client_email: 'a@b.test', private_key: bad });
    const store = await openGcs({ bucket: 'backups', credentials: { kind: 'service-account', json } });
    const error = await store.presign('k', { expiresIn: 60 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'Configuration', retryable: false });
    expectClean(error, [bad]);
    store.close();
  }
});

test('with a token instead of a key, presigned reads are not supported', async () => {
  const store = await openGcs({ bucket: 'backups', credentials: { kind: 'token', accessToken: 'ya29.x' } });
  expect(await store.presign('k', { expiresIn: 60 })).toBeUndefined();
  store.close();
});
