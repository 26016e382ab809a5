// SPDX-License-Identifier: Apache-2.0

/** Resolves once `signal` is aborted, at once if it is already. Never fails. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
