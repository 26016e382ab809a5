// SPDX-License-Identifier: Apache-2.0

/** Carries what the caller's own code threw past everything that would take it for a failure of the connection. */
export class CallerError extends Error {
  readonly thrown: unknown;

  constructor(thrown: unknown) {
    super('the input or output stream of the caller failed', { cause: thrown });
    this.thrown = thrown;
  }
}

/** Runs code of the caller. */
export async function asCaller<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw new CallerError(thrown);
  }
}

/**
 * The values of a caller's iterable until `ended` is aborted. The iterator is returned at once then, even while it is asked for a
 * value that may never come.
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
      // When nobody waits for it any more, its failure is nobody's either.
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
    // Not waited for: a generator that hangs returns only when it goes on.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
