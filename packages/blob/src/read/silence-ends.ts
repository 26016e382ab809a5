// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@etcd-operator/ports';
import { BlobError } from '../blob-error.ts';
import { beforeAbort } from '../call/interruptible.ts';

/** Passes a source on, and gives up when nothing has come from it for this long. Time that the reader takes does not count. */
export async function* silenceEnds(
  source: AsyncIterable<Uint8Array>,
  clock: Clock,
  limitMs: number,
  what: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const silent = new AbortController();
      const timer = clock.schedule(limitMs, () => {
        silent.abort(new BlobError('Timeout', `${what}: nothing came for ${Math.round(limitMs / 1000)} s`));
      });
      const result = await beforeAbort(iterator.next(), silent.signal).finally(() => timer.cancel());
      isOver = result.done === true;
      if (result.done) return;
      yield result.value;
    }
  } finally {
    if (!isOver) iterator.return?.().catch(() => {});
  }
}
