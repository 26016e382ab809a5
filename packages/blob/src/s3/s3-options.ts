// SPDX-License-Identifier: Apache-2.0
import type { S3Client } from '@aws-sdk/client-s3';
import type { EndpointPolicy } from '../endpoint/endpoint-policy.ts';
import type { S3AtRest } from './at-rest.ts';

/** Who asks. */
export type S3Credentials =
  /** Whatever the environment gives: variables, the token of a service account (IRSA), a pod identity, the role of the machine. */
  | { readonly kind: 'chain' }
  | {
      readonly kind: 'keys';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken?: string;
    }
  /** The texts of AWS's `credentials` and `config` files; what neither tells comes from the environment. */
  | {
      readonly kind: 'files';
      readonly credentials?: string;
      readonly config?: string;
      /** @default 'default' */
      readonly profile?: string;
    };

/** A bucket of AWS S3 or of anything that speaks its protocol: MinIO, Ceph, R2, ... */
export interface S3Options extends S3AtRest {
  readonly bucket: string;
  /** @default `endpoint_url` of the config file, then AWS in `region` */
  readonly endpoint?: string;
  /** The bucket in the path of requests instead of in the host name. @default that of the config file, then false */
  readonly forcePathStyle?: boolean;
  /** @default that of the config file, then AWS_REGION, then us-east-1 */
  readonly region?: string;
  /** Certificates in PEM that are trusted besides the usual ones. */
  readonly caCertificates?: string;
  /** @default { kind: 'chain' } */
  readonly credentials?: S3Credentials;
  readonly policy?: EndpointPolicy;
  /** At least 5 MiB. @default 8 MiB */
  readonly partBytes?: number;
  /** Whether the signature covers the bytes of parts over TLS, too; over plain HTTP it always does. @default false */
  readonly signedParts?: boolean;
  /** The longest key, in bytes of UTF-8. @default 1024 */
  readonly maxKeyBytes?: number;
  /** What another service that speaks the protocol needs besides. */
  readonly adapt?: (client: S3Client) => void;
  /** What the store is called in messages. @default 's3' */
  readonly scheme?: string;
}

/** What the Secret of an EtcdBackup holds for S3: the files `credentials` and `config`, either of which may be missing. */
export function s3CredentialsFromSecret(data: Readonly<Record<string, string>>): S3Credentials {
  const { credentials, config } = data as { readonly credentials?: string; readonly config?: string };
  return {
    kind: 'files',
    ...(credentials === undefined ? {} : { credentials }),
    ...(config === undefined ? {} : { config }),
  };
}
