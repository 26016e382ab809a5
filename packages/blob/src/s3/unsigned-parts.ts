// SPDX-License-Identifier: Apache-2.0
import type { S3Client } from '@aws-sdk/client-s3';

const hashHeader = 'x-amz-content-sha256';

/**
 * Has a client send the parts of uploads without their hash in the signature, as AWS's own tools do over TLS: that protects every
 * byte already, and to hash them once more costs both sides as much as to encrypt them. Everything else stays signed whole.
 */
export function leavePartsToTls(client: S3Client): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      (call) => {
        if (commandName === 'UploadPartCommand' && hasHeaders(call.request)) {
          call.request.headers[hashHeader] = 'UNSIGNED-PAYLOAD';
        }
        return next(call);
      },
    { step: 'build', name: 'leavePartsToTls' },
  );
}

function hasHeaders(request: unknown): request is { readonly headers: Record<string, string> } {
  return typeof request === 'object' && request !== null && 'headers' in request;
}
