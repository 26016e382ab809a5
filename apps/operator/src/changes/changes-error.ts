// SPDX-License-Identifier: Apache-2.0

/**
 * Why a change segment (a stored object with recorded changes) cannot be used. A retry does not help, unless the store returned bytes other
 * than the stored ones.
 *
 * - `UnknownFormat`: it is not a segment, or it is from a newer version of the operator.
 * - `Damaged`: bytes were changed.
 * - `Incomplete`: it is truncated.
 * - `OutOfOrder`: its revisions are not consecutive, or it is not the segment that its name says.
 * - `TooLarge`: one revision has more changes than a segment can hold.
 */
export type ChangesErrorCode = 'UnknownFormat' | 'Damaged' | 'Incomplete' | 'OutOfOrder' | 'TooLarge';

/** Thrown for all problems of stored changes. */
export class ChangesError extends Error {
  override readonly name = 'ChangesError';
  readonly code: ChangesErrorCode;

  constructor(code: ChangesErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
