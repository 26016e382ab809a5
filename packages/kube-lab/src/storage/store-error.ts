// SPDX-License-Identifier: Apache-2.0

/** Why the store refused. `Changed`: somebody else wrote first. */
export type StoreErrorCode = 'Exists' | 'Changed' | 'Compacted' | 'FutureRevision';

/** The one error of the store; handlers translate it into a Status. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
  }
}
