// SPDX-License-Identifier: Apache-2.0

import { type ControllerName, runOperators } from '@etcd-operator/operator';
import type { BlobStore, StoreSettings } from '@operator-parts/blob';
import type { Dialer } from '@operator-parts/etcd';
import {
  createClient,
  KubeError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '@operator-parts/kube';
import { type Clock, createLogger, type Random } from '@operator-parts/ports';
import { ProcessClock } from '../world/process-clock.ts';

export interface OperatorProcessOptions {
  readonly name: string;
  readonly clock: Clock;
  /** By how much the wall clock of its node is wrong. */
  readonly wallOffset: number;
  readonly random: Random;
  readonly transport: Transport;
  readonly dial: Dialer;
  readonly namespace: string;
  readonly controllers: readonly ControllerName[];
  /** The store that backups go to, as one process sees it. */
  readonly openStore: (settings: StoreSettings, clock: ProcessClock) => Promise<BlobStore>;
  /** What a pod has printed. */
  readonly readLog: (namespace: string, pod: string) => string;
  readonly note: (line: string) => void;
  /** Told of each write before it is sent, and of its status. */
  readonly onWrite: (request: TransportRequest, status?: number) => void;
  /** Told if it asks the API server or members again and again at one moment. */
  readonly onRush: () => void;
}

/** How long its Deployment takes to start it again. */
const restartAfter = 3_000;
const answerWithin = 60_000;
/** Whoever asks this often at one moment makes no pauses. */
const rush = 1_000;

/**
 * The operator as it is shipped, in a process that can be killed, stopped and continued. Nothing of it is replaced but its ports: clock,
 * chance, the transport to the API server and the dialer to members.
 */
export class OperatorProcess {
  readonly #options: OperatorProcessOptions;
  #clock: ProcessClock;
  #running = new AbortController();
  #wallOffset: number;
  #starts = 0;
  #moment = 0;
  #asked = 0;

  constructor(options: OperatorProcessOptions) {
    this.#options = options;
    this.#wallOffset = options.wallOffset;
    this.#clock = new ProcessClock(options.clock, options.wallOffset);
  }

  get name(): string {
    return this.#options.name;
  }

  start(): void {
    const { name, namespace, controllers, openStore, random, note, clock: base } = this.#options;
    const clock = new ProcessClock(base, this.#wallOffset);
    this.#clock = clock;
    this.#running = new AbortController();
    const identity = `${name}-${++this.#starts}`;
    const log = createLogger({
      clock,
      level: 'info',
      write: ({ level, message, fields }) => note(`${identity} ${level}: ${message} ${JSON.stringify(fields)}`),
    });
    const client = createClient(this.#gate(clock), { clock, retry: { clock, random } });
    const ended = runOperators(
      {
        client,
        log,
        clock,
        random,
        namespace,
        identity,
        clusterWide: true,
        createCrd: false,
        controllers,
        agentImage: 'quay.io/etcd-operator/etcd-operator:v0',
        storage: { directory: '/backups', open: (_, settings) => openStore(settings, clock) },
        dial: this.#dialer(clock),
        readLog: (where, pod) => clock.deliver(Promise.resolve(this.#options.readLog(where, pod))),
      },
      this.#running.signal,
    );
    const again = (why: string) => {
      if (clock.isDead) return;
      note(`${identity} ended: ${why}`);
      this.kill();
      base.schedule(restartAfter, () => this.start());
    };
    ended.then(
      () => again('by itself'),
      (error: unknown) => again(String(error)),
    );
  }

  /** It is gone at once; what it has sent may still take effect. */
  kill(): void {
    this.#clock.kill();
    this.#running.abort(new Error('killed'));
  }

  restart(after = restartAfter): void {
    if (this.#clock.isDead) return;
    this.kill();
    this.#options.clock.schedule(after, () => this.start());
  }

  stop(): void {
    this.#clock.stop();
  }

  continue(): void {
    this.#clock.continue();
  }

  jumpClock(milliseconds: number): void {
    this.#wallOffset += milliseconds;
    this.#clock.jump(milliseconds);
  }

  #gate(clock: ProcessClock): Transport {
    const { transport, onWrite } = this.#options;
    return {
      request: async (request) => {
        this.#count();
        if (clock.isDead) return never();
        const isWrite = request.method !== 'GET';
        const { fence } = request;
        const leaving = () => {
          fence?.();
          if (isWrite) onWrite(request);
        };
        const answer = limited(request, clock, (signal) => transport.request({ ...request, signal, fence: leaving }));
        const response = await clock.deliver(answer);
        if (isWrite) onWrite(request, response.status);
        return { ...response, body: gated(response.body, clock) };
      },
      connect: () => Promise.reject(new Error('no channels in the simulation')),
      close: () => Promise.resolve(),
    };
  }

  #dialer(clock: ProcessClock): Dialer {
    return (target, signal) => {
      this.#count();
      return clock.isDead ? never() : clock.deliver(this.#options.dial(target, signal));
    };
  }

  /** Time would never go on again, so a process that makes no pauses is ended. */
  #count(): void {
    const now = this.#options.clock.monotonic();
    this.#asked = now === this.#moment ? this.#asked + 1 : 1;
    this.#moment = now;
    if (this.#asked !== rush) return;
    this.kill();
    this.#options.onRush();
  }
}

/** As the transport over HTTPS does it: an answer that has not begun after a minute is not waited for. */
async function limited<T>(
  { method, path, signal, streaming }: TransportRequest,
  clock: ProcessClock,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const patience = new AbortController();
  const timer = clock.schedule(answerWithin, () =>
    patience.abort(
      new KubeError('Timeout', `${method} ${path} was not answered in time`, { request: { method, path } }),
    ),
  );
  // A stream goes on after its answer has begun, and with it what ends it; for all others a listener is much cheaper.
  const abandon = () => patience.abort(signal?.reason);
  if (!streaming) signal?.addEventListener('abort', abandon, { once: true });
  if (signal?.aborted) abandon();
  try {
    return await send(streaming && signal ? AbortSignal.any([signal, patience.signal]) : patience.signal);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', abandon);
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function gated(body: TransportResponse['body'], clock: ProcessClock): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const inner = body[Symbol.asyncIterator]();
      return {
        next: () => clock.deliver(inner.next()),
        return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
      };
    },
  };
}
