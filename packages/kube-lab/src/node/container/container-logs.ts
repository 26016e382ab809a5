// SPDX-License-Identifier: Apache-2.0
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Pod } from '@operator-parts/kube';

const messageLimit = 4096;
const tailBytes = 2048;
const tailLines = 80;

/** The folder with all logs of a pod. */
export function logDirectory(nodeDirectory: string, pod: Pod): string {
  const { namespace, name, uid } = pod.metadata ?? {};
  return join(nodeDirectory, 'logs', `${namespace}_${name}_${uid}`);
}

/** The file that takes the output of a container's run number `attempt`. */
export function logFile(nodeDirectory: string, pod: Pod, container: string, attempt: number): string {
  return join(logDirectory(nodeDirectory, pod), container, `${attempt}.log`);
}

/** Prepares a new run's log: the previous one is kept, for `--previous`; older ones are deleted. */
export async function rotateLogs(nodeDirectory: string, pod: Pod, container: string, attempt: number): Promise<string> {
  const file = logFile(nodeDirectory, pod, container, attempt);
  await mkdir(dirname(file), { recursive: true });
  if (attempt >= 2) await rm(logFile(nodeDirectory, pod, container, attempt - 2), { force: true });
  return file;
}

/**
 * The termination message of a container: the content of its termination file. If that is empty, the container failed,
 * and its policy is `FallbackToLogsOnError`, the end of its log.
 */
export async function terminationMessage(options: {
  readonly file: string;
  readonly log: string;
  readonly fallBackToLog: boolean;
}): Promise<string> {
  const text = await readFile(options.file, 'utf8').catch(() => '');
  if (text !== '' || !options.fallBackToLog) return text.slice(0, messageLimit);
  const tail = await readTail(options.log, tailBytes).catch(() => '');
  return tail
    .split('\n')
    .slice(-tailLines - 1)
    .join('\n');
}

/** The last bytes of a file, as text. */
async function readTail(file: string, bytes: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(bytes, size));
    await handle.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8');
  } finally {
    await handle.close();
  }
}
