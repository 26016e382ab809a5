// SPDX-License-Identifier: Apache-2.0
import type { Client } from '@operator-parts/kube';
import type { Logger } from '@operator-parts/ports';
import type { ReconcileContext } from './reconciler.ts';
import { trackedClient, type WriteListener } from './tracked-client.ts';

interface RunContextOptions {
  readonly signal: AbortSignal;
  readonly failures: number;
  readonly client: Client;
  readonly fence: (() => void) | undefined;
  readonly log: Logger;
  readonly object: string;
  readonly writes: WriteListener;
}

/** The context of one reconcile. Client and logger are created on first use: most reconciles need neither. */
export class RunContext implements ReconcileContext {
  readonly signal: AbortSignal;
  readonly failures: number;
  readonly #options: RunContextOptions;
  #client: Client | undefined;
  #log: Logger | undefined;

  constructor(options: RunContextOptions) {
    this.signal = options.signal;
    this.failures = options.failures;
    this.#options = options;
  }

  get client(): Client {
    const { client, writes, signal } = this.#options;
    this.#client ??= trackedClient(client, { writes, signal, fence: this.fence });
    return this.#client;
  }

  readonly fence = (): void => {
    this.signal.throwIfAborted();
    this.#options.fence?.();
  };

  get log(): Logger {
    this.#log ??= this.#options.log.child({ object: this.#options.object });
    return this.#log;
  }
}
