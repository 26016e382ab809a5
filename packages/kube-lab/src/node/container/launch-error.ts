// SPDX-License-Identifier: Apache-2.0

/** Why a container waits instead of running, with the kubelet's reason. */
export type LaunchReason =
  | 'InvalidImageName'
  | 'ErrImagePull'
  | 'ErrImageNeverPull'
  | 'CreateContainerConfigError'
  | 'CreateContainerError'
  | 'RunContainerError';

/** A container could not be started. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
  readonly reason: LaunchReason;

  constructor(reason: LaunchReason, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.reason = reason;
  }
}
