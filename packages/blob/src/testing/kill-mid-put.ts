// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { StoreOptions } from '../open-store.ts';

/**
 * Runs a put in a separate process and kills that process (SIGKILL) when some parts have arrived and more are being
 * sent. Resolves when the process is gone.
 */
export async function killMidPut(options: StoreOptions, key: string, partBytes: number): Promise<void> {
  const program = `
    import { openStore } from ${JSON.stringify(new URL('../index.ts', import.meta.url).href)};
    const store = await openStore(${JSON.stringify(options)});
    async function* endless() {
      for (;;) yield Buffer.alloc(${partBytes});
    }
    await store.put(${JSON.stringify(key)}, endless(), {
      onProgress: ({ bytesStored }) => console.log(bytesStored),
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  if (child.signalCode !== 'SIGKILL') throw new Error('the put ended before it was killed');
}
