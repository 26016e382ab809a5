// SPDX-License-Identifier: Apache-2.0
import type { Access } from '../access.ts';
import { CliError } from '../cli-error.ts';

/** How far an operator has come with an object. */
export interface Progress {
  readonly succeeded: boolean;
  /** Why it failed for good; empty while it has not. */
  readonly failure: string;
}

const lookAgain = 500;

/** Waits until an operator has come to an end with an object. Fails if it reports a failure, or nothing in time. */
export async function awaitOutcome(
  { clock, signal }: Access,
  what: string,
  timeout: number,
  ask: () => Promise<Progress>,
): Promise<void> {
  const end = clock.monotonic() + timeout;
  for (;;) {
    const { succeeded, failure } = await ask();
    if (succeeded) return;
    if (failure) throw new CliError('Failed', `${what} failed: ${failure}`);
    if (clock.monotonic() > end) {
      const message = `${what} has not come to an end within ${timeout / 1000} s: does its operator run? It is left as it is`;
      throw new CliError('Timeout', message);
    }
    await clock.sleep(lookAgain, signal);
  }
}
