// SPDX-License-Identifier: Apache-2.0

/** A peer that violates the protocol, or a stream that it has reset. */
export class SpdyError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SpdyError';
  }
}
