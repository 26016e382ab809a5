// SPDX-License-Identifier: Apache-2.0

/** `Usage`: the command line is invalid. The others: it is valid but cannot be carried out. */
export type CliErrorCode = 'Usage' | 'NotFound' | 'Ambiguous' | 'BadFile' | 'Unreachable' | 'Failed' | 'Timeout';

/** An error for the user who typed the command: what failed, for which object, and what to do next. */
export class CliError extends Error {
  readonly code: CliErrorCode;

  constructor(code: CliErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CliError';
    this.code = code;
  }
}
