// SPDX-License-Identifier: Apache-2.0

/** Why the store refused. `Changed`: another client wrote first. */
export type StoreErrorCode = 'Exists' | 'Changed' | 'Compacted' | 'FutureRevision';

/** The error class of the store; handlers convert it to a Status. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
  }
}
