// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';
import { BlobError } from '../blob-error.ts';
import { beforeAbort } from '../call/interruptible.ts';

/** The minimum speed. */
export interface MinimumSpeed {
  /** How long the source may send nothing. */
  readonly idleTimeoutMs: number;
  readonly slowestBytesPerSecond: number;
}

/**
 * Forwards a source, and fails when it is too slow. Waiting uses up a time budget. Received bytes refill the budget at
 * the minimum speed, up to its initial value. Time that the reader takes does not count.
 */
export async function* failWhenSlow(
  source: AsyncIterable<Uint8Array>,
  clock: Clock,
  { idleTimeoutMs, slowestBytesPerSecond }: MinimumSpeed,
  what: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let isOver = false;
  let left = idleTimeoutMs;
  try {
    for (;;) {
      const slow = new AbortController();
      const timer = clock.schedule(left, () => {
        const pace = `less than ${Math.round(slowestBytesPerSecond / 1024)} KiB/s`;
        slow.abort(
          new BlobError('Timeout', `${what}: the backup store sent ${pace} for ${Math.round(idleTimeoutMs / 1000)} s`),
        );
      });
      const asked = clock.monotonic();
      const result = await beforeAbort(iterator.next(), slow.signal).finally(() => timer.cancel());
      isOver = result.done === true;
      if (result.done) return;
      const earned = (result.value.byteLength * 1000) / slowestBytesPerSecond;
      left = Math.min(idleTimeoutMs, left - (clock.monotonic() - asked) + earned);
      yield result.value;
    }
  } finally {
    if (!isOver) iterator.return?.().catch(() => {});
  }
}
