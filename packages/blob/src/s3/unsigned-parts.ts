// SPDX-License-Identifier: Apache-2.0
import type { S3Client } from '@aws-sdk/client-s3';

const hashHeader = 'x-amz-content-sha256';

/**
 * Makes a client send the parts of uploads without their hash in the signature, as AWS's own tools do over TLS: TLS
 * protects the bytes already, and another hash costs both sides as much as the encryption. All other requests are
 * signed completely.
 */
export function sendPartsUnsigned(client: S3Client): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      (call) => {
        if (commandName === 'UploadPartCommand' && hasHeaders(call.request)) {
          call.request.headers[hashHeader] = 'UNSIGNED-PAYLOAD';
        }
        return next(call);
      },
    { step: 'build', name: 'sendPartsUnsigned' },
  );
}

function hasHeaders(request: unknown): request is { readonly headers: Record<string, string> } {
  return typeof request === 'object' && request !== null && 'headers' in request;
}
