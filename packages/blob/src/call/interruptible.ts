// SPDX-License-Identifier: Apache-2.0
import { ignoreErrors } from './ignore-errors.ts';

/**
 * Forwards a source until the signal is aborted, even while the source waits for data; then throws the signal's reason.
 * The source is told to end, but its end is not awaited, because it may never come. Later errors of the source are
 * ignored.
 */
export function interruptible<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void, undefined> {
  return passedOn(ignoreErrors(source), signal);
}

async function* passedOn<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const result = await beforeAbort(iterator.next(), signal);
      if (result.done) {
        isOver = true;
        return;
      }
      yield result.value;
    }
  } finally {
    if (!isOver) iterator.return?.().catch(() => {});
  }
}

/** Settles as the promise does, or rejects with the signal's reason if that comes first. */
export async function beforeAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // A rejection that is no longer awaited must not end the process.
  promise.catch(() => {});
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
