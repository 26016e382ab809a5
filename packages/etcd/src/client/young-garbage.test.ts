// SPDX-License-Identifier: Apache-2.0
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { describe, expect, test, vi } from 'vitest';
import { collectYoungGarbage } from './young-garbage.ts';

type GcEntry = PerformanceEntry & { readonly detail: { readonly kind: number } };

/** The kinds of collections that have been made since. */
function watchCollections(): { readonly kinds: Set<number>; readonly stop: () => void } {
  const kinds = new Set<number>();
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) kinds.add((entry as GcEntry).detail.kind);
  });
  observer.observe({ entryTypes: ['gc'] });
  return { kinds, stop: () => observer.disconnect() };
}

describe('young garbage', () => {
  test('is collected when asked for, by this version of Node', async () => {
    const { kinds, stop } = watchCollections();
    try {
      collectYoungGarbage();
      await vi.waitFor(() => expect(kinds).toContain(constants.NODE_PERFORMANCE_GC_MINOR), { timeout: 60_000 });
    } finally {
      stop();
    }
  });

  test('frees the bytes of buffers that nobody holds any more', async () => {
    const before = process.memoryUsage().arrayBuffers;
    const mebibyte = 1024 * 1024;
    let made = 0;
    for (let index = 0; index < 1024; index++) {
      made += Buffer.allocUnsafeSlow(64 * 1024).byteLength;
      if (index % 64 === 63) collectYoungGarbage();
    }
    expect(made).toBe(64 * mebibyte);
    const left = () => process.memoryUsage().arrayBuffers - before;
    await vi.waitFor(
      () => {
        collectYoungGarbage();
        expect(left()).toBeLessThan(8 * mebibyte);
      },
      { timeout: 60_000 },
    );
  });

  test('leaves no function behind that the program could call', () => {
    collectYoungGarbage();
    expect('gc' in globalThis).toBe(false);
  });
});
