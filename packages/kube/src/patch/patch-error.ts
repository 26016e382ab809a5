// SPDX-License-Identifier: Apache-2.0

/**
 * Why a patch could not be created or applied. `Malformed`: not a valid patch of its type; `PathNotFound`: the document
 * does not have its path; `TestFailed`: a `test` operation failed; `MergeKey`: an item of a merged list lacks its merge
 * key.
 */
export type PatchErrorCode = 'Malformed' | 'PathNotFound' | 'TestFailed' | 'MergeKey';

/** The error of patches. */
export class PatchError extends Error {
  readonly code: PatchErrorCode;

  constructor(code: PatchErrorCode, message: string) {
    super(message);
    this.name = 'PatchError';
    this.code = code;
  }
}
