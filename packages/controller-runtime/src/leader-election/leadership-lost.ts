// SPDX-License-Identifier: Apache-2.0

/** The reason of every signal that is aborted because the lease was lost. The program should exit and be restarted. */
export class LeadershipLost extends Error {
  readonly code: 'taken' | 'deadline' | 'suspended';

  constructor(code: LeadershipLost['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LeadershipLost';
    this.code = code;
  }
}
