// SPDX-License-Identifier: Apache-2.0
import { type Clock, sleepOn, type Timer } from './clock.ts';

/** The longest delay of a timer of Node, which turns longer delays into 1 ms. Longer waits are split. */
const longestTimer = 2 ** 31 - 1;

function schedule(milliseconds: number, callback: () => void, options?: { readonly background?: boolean }): Timer {
  const due = performance.now() + milliseconds;
  let handle: NodeJS.Timeout;
  const arm = () => {
    const left = due - performance.now();
    // Node may fire up to 1 ms early; the loop below prevents that.
    handle = setTimeout(
      () => (performance.now() < due ? arm() : callback()),
      Math.min(Math.max(0, left), longestTimer),
    );
    if (options?.background) handle.unref();
  };
  arm();
  return { cancel: () => clearTimeout(handle) };
}

/** The machine's clock. The only product code that uses the global timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule,
  sleep: (milliseconds, signal) => sleepOn({ schedule }, milliseconds, signal),
};
