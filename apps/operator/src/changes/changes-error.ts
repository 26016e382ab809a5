// SPDX-License-Identifier: Apache-2.0

/**
 * Why a segment cannot be used. Reading it again does not help, unless the store gave other bytes than it has.
 *
 * - `UnknownFormat`: it is no segment, or one of a newer version of the operator.
 * - `Damaged`: bytes were changed.
 * - `Incomplete`: it was cut off.
 * - `OutOfOrder`: its revisions do not follow each other, or it is not the segment that its name says.
 * - `TooLarge`: one revision changes more than a segment holds.
 */
export type ChangesErrorCode = 'UnknownFormat' | 'Damaged' | 'Incomplete' | 'OutOfOrder' | 'TooLarge';

/** The one error of stored changes. */
export class ChangesError extends Error {
  override readonly name = 'ChangesError';
  readonly code: ChangesErrorCode;

  constructor(code: ChangesErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
