// SPDX-License-Identifier: Apache-2.0

/** The reason of every signal that ends because the lease could not be kept. The program should exit and start again. */
export class LeadershipLost extends Error {
  readonly code: 'taken' | 'deadline' | 'suspended';

  constructor(code: LeadershipLost['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LeadershipLost';
    this.code = code;
  }
}
