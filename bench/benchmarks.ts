// SPDX-License-Identifier: Apache-2.0
import type { Benchmark } from './benchmark.ts';

/**
 * All there are, in the order in which they run. Each is loaded only when it is run, so that one does not pay for what another
 * imports.
 */
export const benchmarks: Readonly<Record<string, () => Promise<Benchmark>>> = {
  B9: async () => (await import('./bootstrap/bootstrap.ts')).bootstrap,
};
