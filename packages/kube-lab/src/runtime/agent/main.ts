// SPDX-License-Identifier: Apache-2.0
/**
 * The agent: the program inside the lab's namespaces. `agent-process.ts` starts it with an IPC channel. When the
 * channel closes, it ends with everything in the namespaces.
 */
import type { Socket } from 'node:net';
import { systemClock } from '@operator-parts/ports';
import type { IpFamilies } from '../../network/addresses.ts';
import type { AgentCall, AgentMessage, AgentRequest } from '../agent-calls.ts';
import { RuntimeError } from '../runtime-error.ts';
import { findSystemTools } from '../system-tools.ts';
import { type AgentHandlers, openAgent } from './agent.ts';

function send(message: AgentMessage, socket?: Socket): void {
  // If sending fails, the process that started the lab is gone. The disconnect below then ends this process.
  process.send?.(message, socket, undefined, () => undefined);
}

async function answer<K extends AgentCall>(handlers: AgentHandlers, request: AgentRequest<K>): Promise<void> {
  const { id, call, params } = request;
  try {
    const { result, socket } = await handlers[call](params);
    send({ type: 'result', id, result }, socket);
  } catch (error) {
    const code = error instanceof RuntimeError ? error.code : 'Internal';
    send({ type: 'failure', id, code, message: error instanceof Error ? error.message : String(error) });
  }
}

process.once('disconnect', () => process.exit(0));
const handlers = await openAgent({
  tools: findSystemTools(),
  clock: systemClock,
  ipFamilies: (process.argv[2] ?? '').split(',') as unknown as IpFamilies,
  onExit: (exit) => send({ type: 'exit', exit }),
});
process.on('message', (request: AgentRequest) => void answer(handlers, request));
send({ type: 'ready' });
