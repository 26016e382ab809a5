// SPDX-License-Identifier: Apache-2.0

/** Thrown by the server where a real connection would break: the transport turns it into that. */
export class ConnectionLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConnectionLost';
  }
}
