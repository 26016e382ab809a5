// SPDX-License-Identifier: Apache-2.0

/** Why the runtime failed. */
export type RuntimeErrorCode =
  /** The machine lacks something; the message says what to install or set. */
  | 'Unsupported'
  /** The lab's namespace ended (stopped, or killed from outside); nothing in it runs any more. */
  | 'Ended'
  /** There is no such sandbox, container or volume. */
  | 'NotFound'
  /** The container's file tree could not be created. */
  | 'CreateFailed'
  /** The program does not exist in the container's file tree or may not be run. */
  | 'StartFailed'
  /** A name or address of the lab did not answer. */
  | 'Unreachable'
  /** A command of the operating system failed. */
  | 'CommandFailed'
  | 'Timeout'
  | 'Internal';

/** The one error of the runtime. */
export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode;

  constructor(code: RuntimeErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'RuntimeError';
    this.code = code;
  }
}

/** True if `error` is a `RuntimeError` with one of these codes; without codes, with any code. */
export function isRuntimeError(error: unknown, ...codes: readonly RuntimeErrorCode[]): error is RuntimeError {
  return error instanceof RuntimeError && (codes.length === 0 || codes.includes(error.code));
}
