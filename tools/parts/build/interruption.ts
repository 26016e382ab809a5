// SPDX-License-Identifier: Apache-2.0

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Turns the signals that end a process into an abortion, for as long as it is in use. */
export interface Interruption {
  readonly signal: AbortSignal;
  [Symbol.dispose](): void;
}

/**
 * For callers that gave no signal of their own: without it Ctrl-C would end this process and leave a build behind that runs on. If
 * a signal came and nobody else listens to it, the process ends by that signal after all, as soon as this is disposed of.
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
