// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';
import type { EndpointPolicy } from '../endpoint/endpoint-policy.ts';
import type { ObjectLock } from '../object-lock.ts';

/** Who asks. */
export type GcsCredentials =
  | { readonly kind: 'token'; readonly accessToken: string }
  /** The text of a service account's key file. */
  | { readonly kind: 'service-account'; readonly json: string }
  /** Google's application default credentials: the environment, or the identity of the pod or machine. */
  | { readonly kind: 'chain' };

/** A bucket of Google Cloud Storage. */
export interface GcsOptions {
  readonly bucket: string;
  /** @default { kind: 'chain' } */
  readonly credentials?: GcsCredentials;
  /** @default https://storage.googleapis.com */
  readonly endpoint?: string;
  /** Certificates in PEM that are trusted besides the usual ones. */
  readonly caCertificates?: string;
  readonly policy?: EndpointPolicy;
  /** The key of Cloud KMS that objects are encrypted with: `projects/P/locations/L/keyRings/R/cryptoKeys/K`. @default that of the bucket */
  readonly kmsKeyName?: string;
  /** As a retention of each object, `Unlocked` for `Governance`; the bucket needs object retention enabled. */
  readonly objectLock?: ObjectLock;
  /** A multiple of 256 KiB. @default 8 MiB */
  readonly partBytes?: number;
}

/**
 * What the Secret of an EtcdBackup holds for Google: `access-token`, which goes first, or `credentials.json`. Neither, or no Secret at all:
 * default credentials.
 */
export function gcsCredentialsFromSecret(data: Readonly<Record<string, string>> | undefined): GcsCredentials {
  const accessToken = data?.['access-token']?.trim();
  const json = data?.['credentials.json'];
  if (accessToken) return { kind: 'token', accessToken };
  return json ? { kind: 'service-account', json } : { kind: 'chain' };
}

/** The part of a service account's key file that is used. */
export interface ServiceAccount {
  readonly client_email: string;
  readonly private_key: string;
}

/**
 * Reads a key file. Only service accounts are taken: other kinds of credentials name programs, files and hosts that whoever reads them
 * shall turn to, and they come from a Secret that somebody in a namespace wrote.
 */
export function parseServiceAccount(json: string): ServiceAccount {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The parser's message would quote what it could not read.
    throw new BlobError('Configuration', 'credentials.json is not JSON');
  }
  const { type, client_email, private_key } = (value ?? {}) as Readonly<Record<keyof ServiceAccount | 'type', unknown>>;
  if (type !== 'service_account') {
    throw new BlobError('Configuration', 'credentials.json is not a service account key');
  }
  if (typeof client_email !== 'string' || typeof private_key !== 'string') {
    throw new BlobError('Configuration', 'credentials.json has no client_email or no private_key');
  }
  return { client_email, private_key };
}
