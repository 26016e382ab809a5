// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';
import type { BlobStore } from '../blob-store.ts';
import { checkEndpoint, type EndpointPolicy } from '../endpoint/endpoint-policy.ts';
import { checkHeaderValue } from '../endpoint/header-value.ts';
import { openS3 } from '../s3/open-s3.ts';
import type { StoreSettings } from '../store.ts';
import { encryptObjects, type OssEncryption } from './oss-encryption.ts';

export interface OssCredentials {
  readonly accessKeyId: string;
  readonly accessKeySecret: string;
}

/** A bucket of Alibaba's Object Storage Service. */
export interface OssOptions {
  readonly bucket: string;
  readonly credentials: OssCredentials;
  /** @default https://oss-cn-hangzhou.aliyuncs.com */
  readonly endpoint?: string;
  /** @default the region of the endpoint */
  readonly region?: string;
  readonly caCertificates?: string;
  readonly policy?: EndpointPolicy;
  /** At least 5 MiB. @default 8 MiB */
  readonly partBytes?: number;
  /** @default the encryption of the bucket */
  readonly encryption?: OssEncryption;
}

const defaultEndpoint = 'https://oss-cn-hangzhou.aliyuncs.com';

/**
 * Opens a bucket of OSS through its S3-compatible API, which requires the bucket in the host name. Alibaba's own
 * endpoints have a separate host name for this API: `s3.oss-cn-hangzhou.aliyuncs.com`.
 */
export async function openOss(options: OssOptions, settings: StoreSettings = {}): Promise<BlobStore> {
  const policy = options.policy ?? {};
  const { endpoint, region } = s3Endpoint(checkEndpoint(options.endpoint || defaultEndpoint, policy));
  const { allow: _, ...checked } = policy;
  const { encryption } = options;
  checkHeaderValue('kmsKeyID', encryption?.kmsKeyId);
  return openS3(
    {
      bucket: options.bucket,
      endpoint,
      region: options.region ?? region,
      credentials: {
        kind: 'keys',
        accessKeyId: options.credentials.accessKeyId,
        secretAccessKey: options.credentials.accessKeySecret,
      },
      // Not every S3-compatible service accepts unsigned parts.
      signedParts: true,
      // Without the allow-list, against which the endpoint was checked as the user wrote it.
      policy: checked,
      ...(options.caCertificates === undefined ? {} : { caCertificates: options.caCertificates }),
      ...(options.partBytes === undefined ? {} : { partBytes: options.partBytes }),
      ...(encryption && { adapt: (client) => encryptObjects(client, encryption) }),
      scheme: 'oss',
      maxKeyBytes: 1023,
    },
    settings,
  );
}

/** The S3-compatible endpoint for an OSS endpoint, and its region. Other endpoints are unchanged. */
export function s3Endpoint(endpoint: URL): { readonly endpoint: string; readonly region: string } {
  const found = /^(s3\.)?(?<name>oss-(?<region>[a-z0-9-]+?)(-internal)?)\.aliyuncs\.com$/.exec(endpoint.hostname);
  const { name, region } = found?.groups ?? {};
  if (name === undefined || region === undefined) return { endpoint: endpoint.href, region: 'oss' };
  const moved = new URL(endpoint);
  moved.hostname = `s3.${name}.aliyuncs.com`;
  return { endpoint: moved.href, region };
}

/** The keys of an EtcdBackup's Secret for OSS: `accessKeyID` and `accessKeySecret`. */
export function ossCredentialsFromSecret(data: Readonly<Record<string, string>>): OssCredentials {
  const accessKeyId = data['accessKeyID'];
  const accessKeySecret = data['accessKeySecret'];
  if (!accessKeyId || !accessKeySecret) {
    throw new BlobError('Configuration', 'the Secret for OSS must have the keys accessKeyID and accessKeySecret');
  }
  return { accessKeyId, accessKeySecret };
}
