// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';

/** Which bytes an answer has. */
export interface AnsweredRange {
  readonly start: number;
  /** The length of the whole object. */
  readonly total: number;
  /** False if it is only the length of a body that should be all of it, which may have been cut short on the way. */
  readonly isTold: boolean;
}

/** What an answer with a body says of it. */
export interface RangeHeaders {
  readonly status: number | undefined;
  readonly contentRange: string | undefined;
  readonly contentLength: number | undefined;
}

/**
 * Where an answer's body begins, and how long the whole object is; undefined if no byte of it comes. An answer that does not tell is no
 * answer.
 */
export function answeredRange(headers: RangeHeaders): AnsweredRange | undefined {
  const { status, contentRange, contentLength = Number.NaN } = headers;
  // Not every store says so with the status for it.
  if (status === 206 && contentLength === 0) return undefined;
  const { first, total } = /^bytes (?<first>\d+)-\d+\/(?<total>\d+)$/.exec(contentRange ?? '')?.groups ?? {};
  const range =
    status === 206
      ? { start: Number(first), total: Number(total), isTold: true }
      : { start: 0, total: contentLength, isTold: false };
  if (Number.isSafeInteger(range.start) && Number.isSafeInteger(range.total)) return range;
  throw new BlobError('Unavailable', 'the store sent a part of the object without a valid Content-Range');
}
