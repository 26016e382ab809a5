// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Clock } from '@operator-parts/ports';
import { programBeside } from '../../program-beside.ts';
import { RuntimeError } from '../../runtime-error.ts';
import type { SystemTools } from '../../system-tools.ts';
import { connectTo } from './dial.ts';

const helper = programBeside(import.meta.url, new URL('./loopback-helper.ts', import.meta.url));

/**
 * Connects to a port of a pod like a program inside it. Most servers listen on the pod's address. If a server listens
 * only on loopback, a small program connects from inside and passes its socket out.
 */
export async function dialLoopback(
  tools: SystemTools,
  clock: Clock,
  namespace: string,
  address: string,
  port: number,
): Promise<Socket> {
  try {
    return await connectTo(clock, { host: address, port }, `${address}:${port}`);
  } catch {
    const child = spawn(tools.nsenter, [`--net=${namespace}`, process.execPath, helper, String(port)], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ended = once(child, 'exit').then(() => [{ error: 'the helper ended' }] as const);
    const answered = once(child, 'message') as Promise<[{ readonly error?: string }, Socket | undefined]>;
    const [message, socket] = await Promise.race([answered, ended]);
    if (child.connected) child.disconnect();
    if (socket) return socket;
    throw new RuntimeError('Unreachable', message.error ?? `nothing listens on port ${port}`);
  }
}
