// SPDX-License-Identifier: Apache-2.0

/** Marks an error of the caller's own code, so that it is not treated as a connection failure. */
export class CallerError extends Error {
  readonly thrown: unknown;

  constructor(thrown: unknown) {
    super('the input or output stream of the caller failed', { cause: thrown });
    this.thrown = thrown;
  }
}

/** Runs the caller's code. An error of it becomes a `CallerError`. */
export async function asCaller<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw new CallerError(thrown);
  }
}

/**
 * The values of a caller's iterable until `ended` is aborted. Then the iteration ends at once, even while it waits for
 * a value.
 */
export async function* untilEnded<T>(source: AsyncIterable<T>, ended: AbortSignal): AsyncGenerator<T, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  const over = new Promise<undefined>((resolve) => {
    if (ended.aborted) resolve(undefined);
    ended.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  let isDone = false;
  try {
    for (;;) {
      const next = asCaller(() => iterator.next());
      // A failure that is no longer awaited is ignored.
      next.catch(() => undefined);
      const result = await Promise.race([next, over]);
      if (result === undefined) return;
      if (result.done) {
        isDone = true;
        return;
      }
      yield result.value;
    }
  } finally {
    // Not awaited: a hanging generator returns only when it continues.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
