// SPDX-License-Identifier: Apache-2.0

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Converts signals that end a process to an abort, while it is in use. */
export interface Interruption {
  readonly signal: AbortSignal;
  [Symbol.dispose](): void;
}

/**
 * For callers without their own signal: otherwise Ctrl-C would end this process and leave a running build behind. If a
 * signal arrived without other listeners, the process ends by that signal when this is disposed.
 */
export function interruptedBySignals(): Interruption {
  const controller = new AbortController();
  const removers: (() => void)[] = [];
  let received: NodeJS.Signals | undefined;
  for (const name of signals) {
    const onSignal = () => {
      received ??= name;
      controller.abort(new Error(name));
    };
    process.on(name, onSignal);
    removers.push(() => process.off(name, onSignal));
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const remove of removers) remove();
      if (received && process.listenerCount(received) === 0) process.kill(process.pid, received);
    },
  };
}
