// SPDX-License-Identifier: Apache-2.0

import { patienceOf } from '@etcd-operator/tools/test/testing';
import { type LogRecord, systemClock } from '@operator-parts/ports';

export interface Patience {
  /** @default 180,000 */
  readonly milliseconds?: number | undefined;
  /** Describes the state for the error if the wait fails. */
  readonly explain?: (() => Promise<string>) | undefined;
  /** The operator's log; its end is shown, too. */
  readonly log: readonly LogRecord[];
}

/** Repeats `ask` until it returns a value. Fails before the test times out, with the last state in the error. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>, patience: Patience): Promise<T> {
  const { milliseconds: wanted = 180_000, explain, log } = patience;
  const milliseconds = Math.floor(patienceOf(wanted));
  const end = systemClock.monotonic() + milliseconds;
  const why = milliseconds < wanted ? ', which is nearly all that its test had' : '';
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (systemClock.monotonic() > end)
      throw new Error(`${what}: not within ${milliseconds} ms${why}. ${(await explain?.()) ?? ''}\n${recent(log)}`);
    await systemClock.sleep(50);
  }
}

function recent(log: readonly LogRecord[]): string {
  return log
    .slice(-15)
    .map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`)
    .join('\n');
}
