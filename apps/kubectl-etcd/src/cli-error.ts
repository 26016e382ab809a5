// SPDX-License-Identifier: Apache-2.0

/** `Usage`: the command line cannot be understood. The others: it can, and what it asks for cannot be had. */
export type CliErrorCode = 'Usage' | 'NotFound' | 'Ambiguous' | 'BadFile' | 'Unreachable' | 'Failed' | 'Timeout';

/** What went wrong, for the person who typed the command: what, with which object, and what to do next. */
export class CliError extends Error {
  readonly code: CliErrorCode;

  constructor(code: CliErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CliError';
    this.code = code;
  }
}
