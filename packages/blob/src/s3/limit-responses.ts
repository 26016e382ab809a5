// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { ignoreErrors } from '../call/ignore-errors.ts';
import { capped, longestAnswer, longestFault } from '../endpoint/capped.ts';

interface Answer {
  readonly statusCode: number;
  body?: unknown;
}

/**
 * Limits the size of answers before they are parsed: the SDK would keep a whole answer in memory, however long it is.
 * Objects are not limited.
 */
export function limitResponses(client: S3Client): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (call) => {
        const result = await next(call);
        const { response } = result;
        if (!isAnswer(response) || !(response.body instanceof Readable)) return result;
        const isFault = response.statusCode < 200 || response.statusCode >= 300;
        if (!isFault && commandName === 'GetObjectCommand') return result;
        const limits = isFault ? { keep: longestFault } : { refuse: longestAnswer };
        response.body = ignoreErrors(Readable.from(capped(response.body, limits), { objectMode: false }));
        return result;
      },
    { step: 'deserialize', priority: 'low', name: 'limitResponses' },
  );
}

function isAnswer(response: unknown): response is Answer {
  return typeof response === 'object' && response !== null && 'statusCode' in response;
}
