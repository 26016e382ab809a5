// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessIdentity } from '../parts/build/process-identity.ts';
import { ClusterError } from './cluster-error.ts';
import type { ComponentName } from './components.ts';
import type { Layout } from './layout.ts';
import { systemPath } from './run-program.ts';
import { entering } from './sandbox.ts';

/** A started component. It need not be stopped: it ends with the cluster. */
export interface StartedComponent {
  readonly name: ComponentName;
  /** Undefined while it runs. */
  exit(): string | undefined;
  /**
   * Waits until `probe` returns true; rejects with the end of its log if it exits before or takes longer than three
   * minutes.
   */
  ready(probe: () => Promise<boolean>, signal?: AbortSignal): Promise<void>;
}

export interface ComponentOptions {
  readonly layout: Layout;
  readonly init: ProcessIdentity;
  readonly program: string;
  readonly flags: readonly string[];
  /** Searched before the machine's own. */
  readonly path?: string;
}

/** A long limit for a busy machine. */
const limitMilliseconds = 180_000;

export async function startComponent(name: ComponentName, options: ComponentOptions): Promise<StartedComponent> {
  const log = join(options.layout.logs, `${name}.log`);
  const [command = '', ...args] = entering(options.init, 'whole', [options.program, ...options.flags]);
  const file = await open(log, 'a', 0o600);
  let ended: string | undefined;
  try {
    const child = spawn(command, args, {
      detached: true,
      stdio: ['ignore', file.fd, file.fd],
      env: { PATH: options.path === undefined ? systemPath : `${options.path}:${systemPath}`, HOME: '/' },
    });
    child.once('error', (error) => {
      ended = error.message;
    });
    child.once('exit', (code, signal) => {
      ended = `ended with ${signal ?? code}`;
    });
    // A cluster that outlives this process must not keep it running.
    child.unref();
  } finally {
    await file.close();
  }
  return {
    name,
    exit: () => ended,
    ready: async (probe, signal) => {
      const limit = performance.now() + limitMilliseconds;
      while (ended === undefined && performance.now() < limit) {
        signal?.throwIfAborted();
        if (await probe()) return;
        await sleep(150, undefined, signal ? { signal } : {});
      }
      const words = (await readFile(log, 'utf8')).slice(-3000);
      const why = ended ?? `was not ready after ${limitMilliseconds / 1000} s`;
      throw new ClusterError('StartFailed', `${name} ${why}; the end of its log:\n${words}`);
    },
  };
}
