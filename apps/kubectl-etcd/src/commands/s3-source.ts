// SPDX-License-Identifier: Apache-2.0
import type { S3Location } from '../command-line.ts';

/** `spec.s3` of EtcdBackups and EtcdRestores. */
export function s3Source({ path, awsSecret, endpoint, forcePathStyle }: S3Location) {
  return { path, awsSecret, ...(endpoint !== undefined && { endpoint }), ...(forcePathStyle && { forcePathStyle }) };
}
