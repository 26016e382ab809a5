// SPDX-License-Identifier: Apache-2.0

/**
 * Why a patch could not be made or applied. `Malformed`: it is not a patch of its type; `PathNotFound`: it names a place
 * that the document does not have; `TestFailed`: a `test` operation found something else; `MergeKey`: an item of a merged
 * list lacks the field that names it; `Conflict`: two sides of a three-way merge changed the same field.
 */
export type PatchErrorCode = 'Malformed' | 'PathNotFound' | 'TestFailed' | 'MergeKey' | 'Conflict';

/** The error of patches. */
export class PatchError extends Error {
  readonly code: PatchErrorCode;

  constructor(code: PatchErrorCode, message: string) {
    super(message);
    this.name = 'PatchError';
    this.code = code;
  }
}
