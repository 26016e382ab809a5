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
  /** The Cloud KMS key for objects: `projects/P/locations/L/keyRings/R/cryptoKeys/K`. @default the key of the bucket */
  readonly kmsKeyName?: string;
  /**
   * Sets a retention on each object: `Unlocked` for the mode `Governance`. Object retention must be enabled for the
   * bucket.
   */
  readonly objectLock?: ObjectLock;
  /** A multiple of 256 KiB. @default 8 MiB */
  readonly partBytes?: number;
}

/**
 * The keys of an EtcdBackup's Secret for Google: `access-token`, which has priority, or `credentials.json`. Without a
 * Secret, or if it has neither, the default credentials are used.
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
 * Parses a key file. Only service accounts are accepted: credentials of other types name programs, files and hosts that
 * the operator would use. They are refused, because a user of a namespace wrote the Secret.
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
