// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import type { SystemTools } from './system-tools.ts';

/**
 * Waits for the end of its standard input, then removes the folder. It retries for a while, because other processes may
 * still write to the folder.
 */
const script = `
cat > /dev/null
tries=0
while [ -e "$0" ] && [ $tries -lt 100 ]; do
  rm -rf -- "$0" 2> /dev/null
  tries=$((tries + 1))
  [ -e "$0" ] && sleep 0.1
done
`;

/** Removes the lab's folder on request, or when this process ends. */
export interface Janitor {
  clean(): Promise<void>;
}

/**
 * Starts a tiny process outside the lab that holds one end of a pipe. When this process ends in any way, even by
 * SIGKILL, the pipe is closed and the folder is removed.
 */
export function startJanitor(tools: Pick<SystemTools, 'sh'>, directory: string): Janitor {
  const child = spawn(tools.sh, ['-c', script, directory], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  child.unref();
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  return {
    clean: async () => {
      await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
      child.stdin.end();
    },
  };
}
