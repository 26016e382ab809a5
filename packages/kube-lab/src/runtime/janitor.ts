// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import type { SystemTools } from './system-tools.ts';

/** Waits for its standard input to end, then removes the folder; tries for a while, as others may still write there. */
const script = `
cat > /dev/null
tries=0
while [ -e "$0" ] && [ $tries -lt 100 ]; do
  rm -rf -- "$0" 2> /dev/null
  tries=$((tries + 1))
  [ -e "$0" ] && sleep 0.1
done
`;

/** Removes the lab's folder when it is told to, or when this process ends without having told. */
export interface Janitor {
  clean(): Promise<void>;
}

/**
 * Starts a tiny process outside the lab that holds one end of a pipe. When this process ends, in whatever manner, the pipe is
 * closed and the folder goes: SIGKILL leaves no files behind.
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
