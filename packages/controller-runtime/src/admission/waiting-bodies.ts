// SPDX-License-Identifier: Apache-2.0
import { WebhookError } from './webhook-error.ts';

interface Waiting {
  bytes: number;
  isComplete: boolean;
  readonly giveUp: (reason: WebhookError) => void;
}

/** One body that waits. */
export interface WaitingBody {
  /** Some more of it has come. */
  more(bytes: number): void;
  /** All of it has come. */
  complete(): void;
  /** It waits no more. */
  end(): void;
}

/**
 * The bodies that arrive, or have arrived and wait for their turn. Anyone can send one, so what they hold together is bounded, in
 * bytes: those make room first that have been arriving for longest, then those that have been waiting for longest.
 */
export class WaitingBodies {
  readonly #limit: number;
  readonly #waiting = new Set<Waiting>();
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** A body begins to arrive. `giveUp` is called if it has to make room. */
  begin(giveUp: (reason: WebhookError) => void): WaitingBody {
    const body: Waiting = { bytes: 0, isComplete: false, giveUp };
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
      body.giveUp(
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
