// SPDX-License-Identifier: Apache-2.0
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { BlobError } from '../blob-error.ts';
import { encodedPath, type QuerySigner, signedUrl } from '../presign/query-signature.ts';
import type { PresignRequest } from '../store-driver.ts';
import type { ServiceAccount } from './gcs-options.ts';

/** The URL of an object in Google's XML API, signed in its query with the key of a service account. */
export function signedRead(endpoint: URL, bucket: string, account: ServiceAccount, request: PresignRequest): URL {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${encodedPath(`${bucket}/${request.key}`)}`;
  return signedUrl(url, signerOf(account), request.now, request.seconds);
}

function signerOf(account: ServiceAccount): QuerySigner {
  const key = privateKeyOf(account);
  return {
    algorithm: 'GOOG4-RSA-SHA256',
    prefix: 'X-Goog',
    identity: account.client_email,
    scope: ['auto', 'storage', 'goog4_request'],
    sign: (text) => sign('sha256', Buffer.from(text), key).toString('hex'),
  };
}

function privateKeyOf({ private_key, client_email }: ServiceAccount): KeyObject {
  const key = parsedKey(private_key);
  if (key?.asymmetricKeyType === 'rsa') return key;
  throw new BlobError(
    'Configuration',
    `the private_key of ${client_email} in credentials.json is not an RSA key in PEM format`,
  );
}

function parsedKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    // The error could contain part of the key.
    return undefined;
  }
}
