// SPDX-License-Identifier: Apache-2.0

/**
 * The problem of a write-ahead log.
 *
 * - `Missing`: there is no log, or a part of it is missing.
 * - `Damaged`: its bytes are not those that were written.
 * - `Unsupported`: its format is not supported here.
 */
export type LogErrorCode = 'Missing' | 'Damaged' | 'Unsupported';

/** The only error class for write-ahead logs. */
export class LogError extends Error {
  readonly code: LogErrorCode;

  constructor(code: LogErrorCode, message: string) {
    super(message);
    this.name = 'LogError';
    this.code = code;
  }
}
