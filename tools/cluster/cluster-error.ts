// SPDX-License-Identifier: Apache-2.0

/** Why there is no cluster. */
export type ClusterErrorCode =
  | 'NotPossibleHere'
  | 'AlreadyRunning'
  | 'NotRunning'
  | 'PackageMissing'
  | 'StartFailed'
  | 'CommandFailed'
  | 'Aborted';

/** The only error class of this folder. The message is a sentence that says what to do next. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
  readonly code: ClusterErrorCode;

  constructor(code: ClusterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
