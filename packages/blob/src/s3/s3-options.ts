// SPDX-License-Identifier: Apache-2.0
import type { S3Client } from '@aws-sdk/client-s3';
import type { EndpointPolicy } from '../endpoint/endpoint-policy.ts';
import type { S3AtRest } from './at-rest.ts';

/** The credentials. */
export type S3Credentials =
  /**
   * Credentials from the environment: variables, the token of a service account (IRSA), a pod identity, the role of the
   * machine.
   */
  | { readonly kind: 'chain' }
  | {
      readonly kind: 'keys';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken?: string;
    }
  /** The texts of AWS's `credentials` and `config` files; missing settings come from the environment. */
  | {
      readonly kind: 'files';
      readonly credentials?: string;
      readonly config?: string;
      /** @default 'default' */
      readonly profile?: string;
    };

/** A bucket of AWS S3 or of a compatible store: MinIO, Ceph, R2, ... */
export interface S3Options extends S3AtRest {
  readonly bucket: string;
  /** @default `endpoint_url` of the config file, then AWS in `region` */
  readonly endpoint?: string;
  /**
   * Puts the bucket in the path of requests instead of the host name. @default the setting of the config file, then
   * false
   */
  readonly forcePathStyle?: boolean;
  /** @default the region of the config file, then AWS_REGION, then us-east-1 */
  readonly region?: string;
  /** CA certificates in PEM, trusted in addition to the system's. */
  readonly caCertificates?: string;
  /** @default { kind: 'chain' } */
  readonly credentials?: S3Credentials;
  readonly policy?: EndpointPolicy;
  /** At least 5 MiB. @default 8 MiB */
  readonly partBytes?: number;
  /** Whether the signature covers the bytes of parts over TLS; over plain HTTP it always does. @default false */
  readonly signedParts?: boolean;
  /** The longest key, in bytes of UTF-8. @default 1024 */
  readonly maxKeyBytes?: number;
  /** Additional requirements of a compatible service. */
  readonly adapt?: (client: S3Client) => void;
  /** The store's name in messages. @default 's3' */
  readonly scheme?: string;
}

/** The keys of an EtcdBackup's Secret for S3: the files `credentials` and `config`, either of which may be missing. */
export function s3CredentialsFromSecret(data: Readonly<Record<string, string>>): S3Credentials {
  const { credentials, config } = data as { readonly credentials?: string; readonly config?: string };
  return {
    kind: 'files',
    ...(credentials === undefined ? {} : { credentials }),
    ...(config === undefined ? {} : { config }),
  };
}
