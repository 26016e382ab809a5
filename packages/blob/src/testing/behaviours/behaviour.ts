// SPDX-License-Identifier: Apache-2.0
import type { IncomingHttpHeaders } from 'node:http';

/** A request with its complete body. */
export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Sends the body in pieces of this many bytes, with a pause after each piece. @default all at once */
  readonly trickle?: { readonly bytes: number; readonly everyMs: number };
}

/**
 * A documented behaviour of a store that its test server lacks. A proxy in front of the real server calls it for each
 * request: `pass` forwards the request to the server.
 */
export type Behaviour = (asked: Asked, pass: () => Promise<Told>) => Promise<Told>;
