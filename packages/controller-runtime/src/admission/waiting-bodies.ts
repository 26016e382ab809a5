// SPDX-License-Identifier: Apache-2.0
import { WebhookError } from './webhook-error.ts';

interface Waiting {
  bytes: number;
  isComplete: boolean;
  readonly drop: (reason: WebhookError) => void;
}

/** A body that is being received or waits for a slot. */
export interface WaitingBody {
  /** More bytes arrived. */
  more(bytes: number): void;
  /** The body is complete. */
  complete(): void;
  /** The body no longer waits. */
  end(): void;
}

/**
 * The bodies that are being received or wait for a slot. Anyone can send one, so their total size is limited. If the
 * limit is exceeded, the bodies that have been arriving for longest are dropped first, then those that have waited for
 * longest.
 */
export class WaitingBodies {
  readonly #limit: number;
  readonly #waiting = new Set<Waiting>();
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a body. `drop` is called if the body is dropped to make room. */
  begin(drop: (reason: WebhookError) => void): WaitingBody {
    const body: Waiting = { bytes: 0, isComplete: false, drop };
    this.#waiting.add(body);
    return {
      more: (bytes) => {
        body.bytes += bytes;
        this.#bytes += bytes;
        this.#makeRoom(body, false);
        this.#makeRoom(body, true);
      },
      complete: () => {
        body.isComplete = true;
      },
      end: () => this.#end(body),
    };
  }

  #makeRoom(forWhom: Waiting, areComplete: boolean): void {
    for (const body of this.#waiting) {
      if (this.#bytes <= this.#limit) return;
      if (body === forWhom || body.bytes === 0 || body.isComplete !== areComplete) continue;
      this.#end(body);
      body.drop(
        new WebhookError(
          'Overloaded',
          'too many requests are being received at the same time; this one was received for the longest time and is refused',
        ),
      );
    }
  }

  #end(body: Waiting): void {
    if (this.#waiting.delete(body)) this.#bytes -= body.bytes;
  }
}
