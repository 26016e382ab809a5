// SPDX-License-Identifier: Apache-2.0
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The watches that are open at the API server of a lab in this process. Only programs outside of it use HTTP. */
export class OpenWatches implements Disposable {
  #count = 0;

  constructor() {
    subscribe(channel, this.#begins);
  }

  get count(): number {
    return this.#count;
  }

  [Symbol.dispose](): void {
    unsubscribe(channel, this.#begins);
  }

  readonly #begins = (message: unknown): void => {
    const { request, response } = message as { readonly request: IncomingMessage; readonly response: ServerResponse };
    if (!/[?&]watch=(1|true)\b/.test(request.url ?? '')) return;
    this.#count++;
    response.once('close', () => {
      this.#count--;
    });
  };
}

const channel = 'http.server.request.start';
