// SPDX-License-Identifier: Apache-2.0
import { isKubeError } from '@operator-parts/kube';
import type { Access } from '../access.ts';
import { CliError } from '../cli-error.ts';

/** The state of an operator's work on an object. */
export interface Progress {
  readonly succeeded: boolean;
  /** Why it failed permanently; empty otherwise. */
  readonly failure: string;
  /** Its last message, including a failure that is retried; empty if there is none. */
  readonly reported: string;
}

interface Reported {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** The messages of the given conditions in one line, without duplicates. */
export function lastReport(conditions: readonly Reported[] | null | undefined): string {
  const said = conditions?.filter(({ message }) => message) ?? [];
  return [...new Set(said.map(({ reason = '', message = '' }) => `${reason}: ${message}`))].join(' ');
}

const pollInterval = 500;

/** Failures of an API server that restarts or is overloaded. They are independent of the object. */
const passing = [
  ...(['ConnectionRefused', 'ConnectionLost', 'Timeout', 'BadResponse'] as const),
  ...(['TooManyRequests', 'InternalError', 'ServiceUnavailable', 'ServerTimeout'] as const),
] as const;

/** The operator continues even if this command cannot read the object at the moment. */
async function asked(ask: () => Promise<Progress>, before: string): Promise<Progress> {
  try {
    return await ask();
  } catch (error) {
    if (isKubeError(error, ...passing)) return { succeeded: false, failure: '', reported: before };
    throw error;
  }
}

/**
 * Waits until an operator has finished an object, and prints its progress. Fails if the operator reports a failure, or
 * does not finish in time.
 */
export async function awaitOutcome(
  { clock, signal, tell }: Access,
  what: string,
  timeout: number,
  ask: () => Promise<Progress>,
): Promise<void> {
  const end = clock.monotonic() + timeout;
  tell(`Waiting for ${what} to finish, for at most ${timeout / 1000} s.`);
  for (let told = ''; ; ) {
    const { succeeded, failure, reported } = await asked(ask, told);
    if (succeeded) return;
    if (reported && reported !== told) tell(reported);
    told = reported;
    if (failure) throw new CliError('Failed', `${what} failed: ${failure}`);
    if (clock.monotonic() > end) {
      const why = reported
        ? `The operator reports: ${reported}`
        : `No operator has reported on ${what}: check that an operator runs (kubectl etcd operators).`;
      throw new CliError(
        'Timeout',
        `${what} did not finish within ${timeout / 1000} s. This command stopped waiting, but ${what} may still finish. ${why}`,
      );
    }
    await clock.sleep(pollInterval, signal);
  }
}
