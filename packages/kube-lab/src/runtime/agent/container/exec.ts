// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import type { Clock } from '@operator-parts/ports';
import type { ExecLimits, ExecResult } from '../../container-runtime.ts';
import { RuntimeError } from '../../runtime-error.ts';
import type { SystemTools } from '../../system-tools.ts';
import type { RunningContainer } from './container.ts';

const defaultMaxBytes = 64 * 1024;

/** The command line that runs a program inside a container, with the container's environment. */
export function enterArguments(container: RunningContainer, argv: readonly string[]): readonly string[] {
  const user = container.spec.user ? ['-U', '--preserve-credentials'] : [];
  return ['-t', String(container.pid), ...user, '-n', '-m', '-p', '-u', '-r', '-w', '--', ...argv];
}

/** Runs a command inside a container to its end, collecting its output up to a limit. */
export async function execInContainer(
  tools: SystemTools,
  clock: Clock,
  container: RunningContainer,
  argv: readonly string[],
  limits: ExecLimits,
): Promise<ExecResult> {
  const child = spawn(tools.nsenter, enterArguments(container, argv), {
    env: container.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: collect(child, 'stdout', limits), stderr: collect(child, 'stderr', limits) };
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let late = false;
  const timer = clock.schedule(limits.timeoutMilliseconds, () => {
    late = true;
    void killEntered(child);
  });
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
    if (late) {
      const limit = `${limits.timeoutMilliseconds / 1000}s`;
      throw new RuntimeError(
        'Timeout',
        `command timed out: ${JSON.stringify(argv.join(' '))} timed out after ${limit}`,
      );
    }
    // A background process of the command may keep the pipes open, so the rest of the output is awaited only for a
    // short time.
    await Promise.race([closed, clock.sleep(100)]);
    return { exitCode, stdout: output.stdout(), stderr: output.stderr() };
  } finally {
    timer.cancel();
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

/**
 * Ends a command that was started with `enterArguments`. The process inside the container is killed: if only the
 * process that entered were killed, the inner one would keep running.
 */
export async function killEntered(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  const pids = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').catch(() => '');
  for (const pid of pids.split(' ').filter((text) => text !== '')) {
    try {
      process.kill(Number(pid), signal);
    } catch {
      // Nothing to do: the process has ended meanwhile.
    }
  }
  if (pids === '') child.kill(signal);
}

function collect(child: ChildProcess, name: 'stdout' | 'stderr', limits: ExecLimits): () => string {
  const max = limits.maxBytes ?? defaultMaxBytes;
  const chunks: Buffer[] = [];
  let size = 0;
  child[name]?.on('data', (chunk: Buffer) => {
    const kept = chunk.subarray(0, Math.max(0, max - size));
    size += kept.length;
    chunks.push(kept);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}
