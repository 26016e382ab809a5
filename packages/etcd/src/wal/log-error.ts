// SPDX-License-Identifier: Apache-2.0

/**
 * What is wrong with a write-ahead log.
 *
 * - `Missing`: there is none, or a part of it is gone.
 * - `Damaged`: bytes of it are not what was written.
 * - `Unsupported`: it was written in a way that is not known here.
 */
export type LogErrorCode = 'Missing' | 'Damaged' | 'Unsupported';

/** The one error about write-ahead logs. */
export class LogError extends Error {
  readonly code: LogErrorCode;

  constructor(code: LogErrorCode, message: string) {
    super(message);
    this.name = 'LogError';
    this.code = code;
  }
}
