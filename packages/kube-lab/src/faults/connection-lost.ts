// SPDX-License-Identifier: Apache-2.0

/** Thrown where a real server would break the connection. The transport then breaks the connection to the client. */
export class ConnectionLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConnectionLost';
  }
}
