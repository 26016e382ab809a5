// SPDX-License-Identifier: Apache-2.0
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects the youngest garbage now, which takes about a millisecond.
 *
 * Every read of a connection leaves a buffer of up to 64 KiB behind. Their bytes do not bring about the small collection that
 * would free them; the engine lets them grow until they are worth a search of the whole heap, some ten megabytes later, and so
 * on for as long as a stream lasts. Those searches took a third of the work of storing a snapshot, and tens of megabytes of
 * memory, the more the larger the program.
 */
export function collectYoungGarbage(): void {
  collect ??= engineCollector();
  collect({ type: 'minor' });
}

type Collect = (options: { readonly type: 'minor' }) => void;

let collect: Collect | undefined;

/** The engine's own function: a context that is made while the flag is set has it. Without it, garbage is collected as ever. */
function engineCollector(): Collect {
  setFlagsFromString('--expose-gc');
  const found: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return isCollector(found) ? found : () => undefined;
}

function isCollector(found: unknown): found is Collect {
  return typeof found === 'function';
}
