// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '@operator-parts/ports';
import type { ContainerExit, ContainerSpec } from '../../container-runtime.ts';
import { RuntimeError } from '../../runtime-error.ts';
import type { SystemTools } from '../../system-tools.ts';
import { prepareRoot } from './container-root.ts';
import { containerScript } from './container-script.ts';
import { openLog } from './log-pipe.ts';

const defaultPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A container whose program has been started. */
export interface RunningContainer {
  readonly spec: ContainerSpec;
  /** The program's process, as the lab sees it; number 1 inside. */
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
  readonly exited: Promise<ContainerExit>;
  signal(signal: NodeJS.Signals): void;
}

/** Creates a container's file tree and starts its program in its own namespaces, in the network of its sandbox. */
export async function startContainer(
  tools: SystemTools,
  clock: Clock,
  spec: ContainerSpec,
  networkNamespace: string,
): Promise<RunningContainer> {
  const root = await prepareRoot(spec);
  const env = { PATH: defaultPath, HOME: spec.user ? '/' : '/root', HOSTNAME: spec.hostname, ...spec.env };
  const log = await openLog(tools, clock, spec.logFile, join(spec.directory, 'output'));
  try {
    const wrapper = spawn(
      tools.nsenter,
      [
        `--net=${networkNamespace}`,
        tools.unshare,
        '-mpfu',
        '--kill-child=KILL',
        '--propagation=private',
        tools.sh,
        '-c',
        containerScript(tools, spec, root),
        'container',
        ...spec.argv,
      ],
      // The wrapper's own errors must not appear in the program's log.
      { env, stdio: ['ignore', log.input, 'pipe', 'pipe', log.input] },
    );
    return await running(spec, env, wrapper, log.complete);
  } catch (error) {
    await rm(spec.directory, { recursive: true, force: true });
    throw error;
  } finally {
    log.release();
  }
}

async function running(
  spec: ContainerSpec,
  env: Readonly<Record<string, string>>,
  wrapper: ChildProcess,
  logComplete: () => Promise<void>,
): Promise<RunningContainer> {
  let killed = false;
  const ended = new Promise<ContainerExit>((resolve, reject) => {
    wrapper.on('error', (cause) => reject(new RuntimeError('CreateFailed', cause.message, { cause })));
    wrapper.on('exit', (code, signal) => resolve(exitOf(spec.id, code, signal, killed)));
  });
  // Awaited only after the report. A failure before that must not count as unhandled.
  ended.catch(() => undefined);
  let complaints = '';
  wrapper.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaints = `${complaints}${text}`.slice(0, 1000);
  });
  const report = await readReport(wrapper.stdio[3] as Readable);
  const lines = report.split('\n').filter((line) => line !== '');
  if (lines.at(-1) !== 'started') {
    await ended;
    throw startError(spec, [...lines, ...complaints.split('\n')]);
  }
  const pid = Number(lines.find((line) => line.startsWith('pid '))?.slice(4));
  return {
    spec,
    env,
    pid,
    exited: ended.then(async (exit) => {
      await logComplete();
      return exit;
    }),
    signal: (signal) => {
      if (wrapper.exitCode !== null || wrapper.signalCode !== null) return;
      killed ||= signal === 'SIGKILL';
      killQuietly(pid, signal);
    },
  };
}

function startError(spec: ContainerSpec, lines: readonly string[]): RuntimeError {
  if (lines.includes('missing')) {
    const [program = ''] = spec.argv;
    const why = program.includes('/')
      ? `stat ${program}: no such file or directory`
      : 'executable file not found in $PATH';
    return new RuntimeError('StartFailed', `exec: ${JSON.stringify(program)}: ${why}`);
  }
  const words = lines.filter((line) => line !== '' && !line.startsWith('pid ')).join('; ');
  return new RuntimeError('CreateFailed', words || 'the container ended before its program was started');
}

/**
 * Reads the report up to its last word. If the set-up fails, the report ends with the wrapper, the only process that
 * keeps it open.
 */
async function readReport(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    text += chunk as string;
    if (/^(started|missing)\n/m.test(text)) break;
  }
  return text;
}

/**
 * The wrapper ends like the program, with one exception: if the program was ended by SIGKILL, the wrapper exits with
 * status 1. Only the lab can have sent that signal, because no process of a container can signal the first one; so the
 * lab remembers it.
 */
function exitOf(container: string, code: number | null, signal: NodeJS.Signals | null, killed: boolean): ContainerExit {
  const byKill = killed && (signal !== null || code === 1);
  const number = byKill ? constants.signals.SIGKILL : signal ? constants.signals[signal] : undefined;
  if (number === undefined) return { container, exitCode: code ?? 255 };
  return { container, exitCode: 128 + number, signal: number };
}

function killQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Nothing to do: the process has ended meanwhile.
  }
}
