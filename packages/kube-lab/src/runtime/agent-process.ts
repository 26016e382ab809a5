// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Clock, Logger } from '@operator-parts/ports';
import type { IpFamilies } from '../network/addresses.ts';
import type { AgentCall, AgentCalls, AgentMessage, AgentRequest } from './agent-calls.ts';
import type { ContainerExit } from './container-runtime.ts';
import type { Prerequisites } from './prerequisites.ts';
import { programBeside } from './program-beside.ts';
import { RuntimeError } from './runtime-error.ts';

const program = programBeside(import.meta.url, new URL('./agent/main.ts', import.meta.url));
const readyTimeout = 30_000;
/** An agent that does not end is killed after this long. */
const stopTimeout = 3000;
/** The end of the agent's standard error, to explain why it ended. */
const lastWordsLimit = 4000;

interface Waiting {
  readonly call: AgentCall;
  readonly resolve: (reply: { readonly result: unknown; readonly socket: Socket | undefined }) => void;
  readonly reject: (error: RuntimeError) => void;
}

/**
 * The lab's own Linux namespaces and the agent in them, as seen from the process that started the lab. Their network
 * has no connection to the outside. When this process ends in any way, the kernel ends everything in the namespaces.
 */
export class AgentProcess {
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, Waiting>();
  readonly #exitListeners = new Set<(exit: ContainerExit) => void>();
  readonly #ended: Promise<void>;
  #lastId = 0;
  #lastWords = '';
  #onReady: () => void = () => undefined;

  private constructor(child: ChildProcess, clock: Clock, log: Logger) {
    this.#child = child;
    this.#clock = clock;
    child.on('message', (message: AgentMessage, handle: unknown) => this.#receive(message, handle));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = `${this.#lastWords}${text}`.slice(-lastWordsLimit);
      log.debug('agent says', { text });
    });
    this.#ended = once(child, 'exit').then(() => this.#end());
    child.on('error', () => this.#end());
  }

  /** Must be called on the main thread: the namespaces exist as long as the thread that created them. */
  static async start(options: {
    readonly prerequisites: Prerequisites;
    readonly clock: Clock;
    readonly log: Logger;
    /** @default `['IPv4']` */
    readonly ipFamilies?: IpFamilies;
  }): Promise<AgentProcess> {
    const { tools, enclosing } = options.prerequisites;
    const families = options.ipFamilies ?? ['IPv4'];
    // The shell is process 1 inside. Unlike Node, it reaps orphans. When the agent ends, the shell ends, and with it
    // the namespace.
    const reaper = `${JSON.stringify(process.execPath)} "$0" "$1" & wait $!`;
    const child = spawn(
      tools.setpriv,
      [
        ...['--pdeathsig', 'KILL', tools.unshare, ...enclosing, '--kill-child=KILL', '--mount-proc'],
        ...['--propagation=private', tools.sh, '-c', reaper, program, families.join(',')],
      ],
      // A separate process group: Ctrl-C in a terminal reaches only this process, which then stops the pods in order.
      { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], detached: true, env: { ...process.env, NODE_OPTIONS: '' } },
    );
    const agent = new AgentProcess(child, options.clock, options.log);
    await agent.#ready();
    return agent;
  }

  /** Sends a call to the agent. Rejects with `Ended` if the lab's namespace ends first. */
  async call<K extends AgentCall>(call: K, params: AgentCalls[K]['params']): Promise<AgentCalls[K]['result']> {
    const { result } = await this.#request(call, params);
    return result as AgentCalls[K]['result'];
  }

  /** Connects to a pod or a Service of the lab. The agent opens the socket inside and passes it to this process. */
  dial(host: string, port: number, signal?: AbortSignal): Promise<Socket> {
    return this.connect('dial', { host, port }, signal);
  }

  /** Like `call`, for calls that return a socket. A socket that arrives after the signal was aborted is closed. */
  async connect<K extends 'dial' | 'dialLoopback'>(
    call: K,
    params: AgentCalls[K]['params'],
    signal?: AbortSignal,
  ): Promise<Socket> {
    signal?.throwIfAborted();
    const reply = this.#request(call, params);
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      const { socket } = await Promise.race([reply, aborted]);
      if (socket) return socket;
    } catch (error) {
      void reply.then(({ socket }) => socket?.destroy()).catch(() => undefined);
      throw error;
    }
    throw new RuntimeError('Unreachable', `the connection to port ${params.port} was closed before it was handed out`);
  }

  onExit(listener: (exit: ContainerExit) => void): () => void {
    this.#exitListeners.add(listener);
    return () => void this.#exitListeners.delete(listener);
  }

  /** Resolves when the lab's namespace has ended, for any reason. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** The outermost process, for tests that kill it. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Ends everything inside, and waits until it is gone. */
  async stop(): Promise<void> {
    // The agent ends first, then the first process of the namespace. The kernel ends all other processes with that one.
    if (this.#child.connected) this.#child.disconnect();
    const late = new AbortController();
    const kill = this.#clock.sleep(stopTimeout, late.signal).then(
      () => this.#child.kill('SIGKILL'),
      () => undefined,
    );
    await this.#ended;
    late.abort();
    await kill;
  }

  async #ready(): Promise<void> {
    const late = new AbortController();
    try {
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#onReady = resolve;
        }),
        this.#ended.then(() => {
          throw new RuntimeError('Ended', `the lab's namespace ended while it was set up: ${this.#lastWords.trim()}`);
        }),
        this.#clock.sleep(readyTimeout, late.signal).then(() => {
          this.#child.kill('SIGKILL');
          throw new RuntimeError('Timeout', `the lab's namespace was not ready within ${readyTimeout / 1000} s`);
        }),
      ]);
    } finally {
      late.abort();
    }
  }

  #request<K extends AgentCall>(
    call: K,
    params: AgentCalls[K]['params'],
  ): Promise<{ readonly result: unknown; readonly socket: Socket | undefined }> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { call, resolve, reject });
      const request: AgentRequest<K> = { id, call, params };
      if (!this.#child.connected) {
        this.#fail(id);
        return;
      }
      this.#child.send(request, (error) => {
        if (error) this.#fail(id);
      });
    });
  }

  #receive(message: AgentMessage, handle: unknown): void {
    switch (message.type) {
      case 'ready':
        this.#onReady();
        return;
      case 'exit':
        for (const listener of this.#exitListeners) listener(message.exit);
        return;
      case 'result': {
        const socket = handle instanceof Socket ? handle : undefined;
        this.#take(message.id)?.resolve({ result: message.result, socket });
        return;
      }
      case 'failure':
        this.#take(message.id)?.reject(new RuntimeError(message.code, message.message));
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #fail(id: number): void {
    const waiting = this.#take(id);
    waiting?.reject(new RuntimeError('Ended', `the lab's namespace ended before it could answer ${waiting.call}`));
  }

  #end(): void {
    for (const id of [...this.#waiting.keys()]) this.#fail(id);
  }
}
