// SPDX-License-Identifier: Apache-2.0
import type { IncomingHttpHeaders } from 'node:http';

/** A request, read to its end. */
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
}

/**
 * What a store does and its test server does not, as its documentation says it. A proxy in front of the real server asks it what becomes of a
 * request: `pass` has the server do its work.
 */
export type Behaviour = (asked: Asked, pass: () => Promise<Told>) => Promise<Told>;
