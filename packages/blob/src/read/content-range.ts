// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';

/** The range of bytes in an answer. */
export interface AnsweredRange {
  readonly start: number;
  /** The length of the whole object. */
  readonly total: number;
  /**
   * True if the store reported the range. False if only the length of a body is known, which may have been truncated.
   */
  readonly isTold: boolean;
}

/** The headers of an answer about its body. */
export interface RangeHeaders {
  readonly status: number | undefined;
  readonly contentRange: string | undefined;
  readonly contentLength: number | undefined;
}

/**
 * The offset of an answer's body, and the length of the whole object; undefined if there are no bytes. An answer
 * without this information is invalid.
 */
export function answeredRange(headers: RangeHeaders): AnsweredRange | undefined {
  const { status, contentRange, contentLength = Number.NaN } = headers;
  // Some stores answer like this if the range is beyond the end of the object.
  if (status === 206 && contentLength === 0) return undefined;
  const { first, total } = /^bytes (?<first>\d+)-\d+\/(?<total>\d+)$/.exec(contentRange ?? '')?.groups ?? {};
  const range =
    status === 206
      ? { start: Number(first), total: Number(total), isTold: true }
      : { start: 0, total: contentLength, isTold: false };
  if (Number.isSafeInteger(range.start) && Number.isSafeInteger(range.total)) return range;
  throw new BlobError('Unavailable', 'the backup store sent a part of the object without a valid Content-Range');
}
