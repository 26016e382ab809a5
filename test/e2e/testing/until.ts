// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { patienceOf } from '@etcd-operator/tools/test/testing';

/** Others may use this machine too. */
const seconds = 240;

export interface UntilOptions {
  /** @default 200 ms */
  readonly everyMilliseconds?: number;
}

/**
 * Polls until there is a result, with which it resolves; undefined and errors do not count. Rejects at the time limit
 * with the last error.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  options: UntilOptions = {},
): Promise<T> {
  const { everyMilliseconds = 200 } = options;
  const begun = performance.now();
  const limit = performance.now() + patienceOf(seconds * 1000);
  for (let last: unknown; ; ) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (performance.now() > limit) {
      const waited = Math.round((performance.now() - begun) / 1000);
      throw new Error(`waited ${waited} s in vain: ${what}`, { cause: last });
    }
    await sleep(everyMilliseconds);
  }
}

/** The same for a condition. */
export function untilTrue(what: string, ask: () => Promise<boolean>, options: UntilOptions = {}): Promise<true> {
  return until(what, async () => ((await ask()) ? true : undefined), options);
}
