// SPDX-License-Identifier: Apache-2.0

/**
 * Resolves after a turn of the event loop: due timers, signals of the system and received bytes have been handled by
 * then. Takes no time by any clock, so it is the same under virtual time.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
