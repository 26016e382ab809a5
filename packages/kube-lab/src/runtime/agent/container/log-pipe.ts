// SPDX-License-Identifier: Apache-2.0
import { closeSync, constants, createWriteStream, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Clock } from '@operator-parts/ports';
import { runCommand } from '../../run-command.ts';
import type { SystemTools } from '../../system-tools.ts';

/**
 * Background processes may keep a container's output open after its end. The rest of the output is awaited for this
 * long, in milliseconds.
 */
const lingering = 100;

/** The connection from a container's output to its log. */
export interface LogPipe {
  /** The descriptor for the container. */
  readonly input: number;
  /**
   * Closes this process's copy of the descriptor. Call it when the container has been started, or could not be started.
   */
  release(): void;
  /** Resolves when the log contains everything that the container wrote, or shortly after the container's end. */
  complete(): Promise<void>;
}

/**
 * Opens a pipe that ends in a file. Neither the file itself nor a socket would do: programs and scripts open
 * `/dev/stdout` again, which would truncate a file and fail on a socket.
 * @param path of the pipe; removed when this resolves
 */
export async function openLog(tools: SystemTools, clock: Clock, file: string, path: string): Promise<LogPipe> {
  await runCommand(tools.mkfifo, [path]);
  // The reading end is opened first, without waiting for a writer, so that the writing end can be opened.
  const output = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const input = openSync(path, constants.O_WRONLY);
  await rm(path);
  const reader = new Socket({ fd: output, readable: true, writable: false });
  const writer = createWriteStream(file, { flags: 'a' });
  const written = new Promise<void>((resolve) => {
    writer.on('close', resolve);
    writer.on('error', () => resolve());
  });
  reader.on('error', () => writer.end());
  reader.pipe(writer);
  let released = false;
  return {
    input,
    release: () => {
      if (!released) closeSync(input);
      released = true;
    },
    complete: () => Promise.race([written, clock.sleep(lingering)]),
  };
}
