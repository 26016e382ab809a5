// SPDX-License-Identifier: Apache-2.0
import { type Clock, sleepOn, type Timer } from './clock.ts';

/** Node clamps longer timers to 1 ms; waits beyond it are made in stretches. */
const longestTimer = 2 ** 31 - 1;

function schedule(milliseconds: number, callback: () => void, options?: { readonly background?: boolean }): Timer {
  const due = performance.now() + milliseconds;
  let handle: NodeJS.Timeout;
  const arm = () => {
    const left = due - performance.now();
    // Node fires up to 1 ms early; the loop below makes "never early" true.
    handle = setTimeout(
      () => (performance.now() < due ? arm() : callback()),
      Math.min(Math.max(0, left), longestTimer),
    );
    if (options?.background) handle.unref();
  };
  arm();
  return { cancel: () => clearTimeout(handle) };
}

/** The machine's own time. The only place in product code that touches the global timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule,
  sleep: (milliseconds, signal) => sleepOn({ schedule }, milliseconds, signal),
};
