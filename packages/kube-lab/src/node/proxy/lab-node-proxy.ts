// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import type { KubeObject } from '@operator-parts/kube';
import type { Clock, Random } from '@operator-parts/ports';
import type { AgentProcess } from '../../runtime/agent-process.ts';
import type { ByteChannel, ExecOptions, ExecStreams, LogOptions, NodeProxy } from '../../server/node-proxy.ts';
import { logFile } from '../container/container-logs.ts';
import type { LabNode } from '../lab-node.ts';
import type { PodWorker } from '../pod/pod-worker.ts';
import { runExec } from './exec-session.ts';
import { type LogSource, readLog } from './log-stream.ts';
import { ProxyError } from './proxy-error.ts';

/** The kubelets' part of logs, exec, attach and port-forward, for all nodes of a lab. */
export class LabNodeProxy implements NodeProxy {
  readonly #agent: AgentProcess;
  readonly #nodes: readonly LabNode[];
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #directory: string;

  constructor(options: {
    readonly agent: AgentProcess;
    readonly nodes: readonly LabNode[];
    readonly clock: Clock;
    readonly random: Random;
    readonly directory: string;
  }) {
    this.#agent = options.agent;
    this.#nodes = options.nodes;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#directory = options.directory;
  }

  async log(pod: KubeObject, options: LogOptions, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    return readLog(this.#logSource(pod, options), options, this.#clock, signal);
  }

  async exec(pod: KubeObject, request: ExecOptions, streams: ExecStreams, signal: AbortSignal): Promise<number> {
    const { worker } = this.#find(pod);
    const { run } = worker.record.container(request.container);
    if (run?.state !== 'running' && run?.state !== 'stopping') {
      throw new ProxyError(500, `container not found ("${request.container}")`);
    }
    const execId = `exec-${Buffer.from(this.#random.bytes(8)).toString('hex')}`;
    const agent = this.#agent;
    return runExec({ agent, directory: this.#directory, execId, container: run.id, request, streams, signal });
  }

  /**
   * Shows the output of a container from now until it exits. In the lab, a container's program has no standard input.
   */
  async attach(pod: KubeObject, request: ExecOptions, streams: ExecStreams, signal: AbortSignal): Promise<number> {
    const { container } = request;
    const options = { container, follow: true, previous: false, timestamps: false, tailLines: 0 };
    for await (const bytes of await this.log(pod, options, signal)) await streams.stdout(bytes);
    const { run } = this.#find(pod).worker.record.container(container);
    return run?.state === 'exited' ? run.exitCode : 0;
  }

  async dial(pod: KubeObject, port: number, signal: AbortSignal): Promise<ByteChannel> {
    const { setup } = this.#find(pod).worker.record.facts;
    if (setup.state !== 'ready') throw new ProxyError(500, 'the pod has no network at the moment');
    const {
      sandbox,
      addresses: [address],
    } = setup;
    const socket = await this.#agent.connect('dialLoopback', { sandbox, address, port }, signal);
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
    return channel(socket);
  }

  #find(pod: KubeObject): { readonly node: LabNode; readonly worker: PodWorker } {
    for (const node of this.#nodes) {
      const worker = node.kubelet.worker(pod.metadata?.uid ?? '');
      if (worker && node.isConnected) return { node, worker };
    }
    throw new ProxyError(502, `the node of pod ${pod.metadata?.name} cannot be reached`);
  }

  #logSource(pod: KubeObject, { container, previous }: LogOptions): LogSource {
    const { node, worker } = this.#find(pod);
    const { metadata } = worker.pod;
    const { run, previous: earlier } = worker.record.container(container);
    const started = run && run.state !== 'starting' ? run : undefined;
    const wanted = previous ? earlier : (started ?? earlier);
    if (!wanted) {
      const words = previous
        ? `previous terminated container "${container}" in pod "${metadata?.name}" not found`
        : `container "${container}" in pod "${metadata?.name}" is waiting to start: ${waitingFor(worker, container)}`;
      throw new ProxyError(400, words);
    }
    return {
      file: logFile(node.directory, worker.pod, container, wanted.attempt),
      index: worker.runner.companions.logIndex(container, wanted.attempt),
      isOpen: () => {
        const now = worker.record.container(container).run;
        return now?.id === wanted.id && now.state !== 'exited';
      },
    };
  }
}

/** Why a container has not started, with the kubelet's message. */
function waitingFor(worker: PodWorker, container: string): string {
  const reason = worker.record.container(container).problem?.reason;
  return reason === 'ErrImagePull' ? 'trying and failing to pull image' : (reason ?? 'ContainerCreating');
}

function channel(socket: Socket): ByteChannel {
  socket.on('error', () => socket.destroy());
  return {
    incoming: socket as AsyncIterable<Uint8Array>,
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
  };
}
