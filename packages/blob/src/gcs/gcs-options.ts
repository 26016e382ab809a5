// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';
import type { EndpointPolicy } from '../endpoint/endpoint-policy.ts';
import type { ObjectLock } from '../object-lock.ts';

/** The credentials. */
export type GcsCredentials =
  | { readonly kind: 'token'; readonly accessToken: string }
  /** The content of a service account's key file. */
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
  /** CA certificates in PEM, trusted in addition to the system's. */
  readonly caCertificates?: string;
  readonly policy?: EndpointPolicy;
  /** The Cloud KMS key for objects: `projects/P/locations/L/keyRings/R/cryptoKeys/K`. @default that of the bucket */
  readonly kmsKeyName?: string;
  /** A retention for each object, `Unlocked` for `Governance`; the bucket needs object retention enabled. */
  readonly objectLock?: ObjectLock;
  /** A multiple of 256 KiB. @default 8 MiB */
  readonly partBytes?: number;
}

/**
 * The keys of an EtcdBackup's Secret for Google: `access-token`, which has priority, or `credentials.json`. Neither, or
 * no Secret: default credentials.
 */
export function gcsCredentialsFromSecret(data: Readonly<Record<string, string>> | undefined): GcsCredentials {
  const accessToken = data?.['access-token']?.trim();
  const json = data?.['credentials.json'];
  if (accessToken) return { kind: 'token', accessToken };
  return json ? { kind: 'service-account', json } : { kind: 'chain' };
}

/** The used fields of a service account's key file. */
export interface ServiceAccount {
  readonly client_email: string;
  readonly private_key: string;
}

/**
 * Parses a key file. Only service accounts are accepted: other credential types name programs, files and hosts that
 * their reader would use, and they come from a Secret that a user of a namespace wrote.
 */
export function parseServiceAccount(json: string): ServiceAccount {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The parser's message would quote the invalid text.
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
