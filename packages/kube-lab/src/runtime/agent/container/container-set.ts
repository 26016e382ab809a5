// SPDX-License-Identifier: Apache-2.0
import { rm } from 'node:fs/promises';
import type { Clock } from '@operator-parts/ports';
import type {
  ContainerExit,
  ContainerSpec,
  ExecLimits,
  ExecResult,
  ProbeOutcome,
  ProbeTarget,
} from '../../container-runtime.ts';
import { RuntimeError } from '../../runtime-error.ts';
import type { SystemTools } from '../../system-tools.ts';
import type { PodNetwork } from '../network/pod-network.ts';
import { networkProbe } from '../probe.ts';
import { type RunningContainer, startContainer } from './container.ts';
import { execInContainer } from './exec.ts';
import { signalAll } from './freeze.ts';
import { MemoryWatch } from './memory-watch.ts';

/** The running containers of all nodes of the lab. */
export class ContainerSet {
  readonly #tools: SystemTools;
  readonly #clock: Clock;
  readonly #network: PodNetwork;
  readonly #onExit: (exit: ContainerExit) => void;
  readonly #running = new Map<string, RunningContainer>();
  readonly #memory: MemoryWatch;

  constructor(options: {
    readonly tools: SystemTools;
    readonly clock: Clock;
    readonly network: PodNetwork;
    readonly onExit: (exit: ContainerExit) => void;
  }) {
    this.#tools = options.tools;
    this.#clock = options.clock;
    this.#network = options.network;
    this.#onExit = options.onExit;
    this.#memory = new MemoryWatch(options.clock);
  }

  async start(spec: ContainerSpec): Promise<void> {
    const namespace = this.#network.namespaceFile(spec.sandbox);
    if (!namespace) throw new RuntimeError('NotFound', `sandbox ${spec.sandbox} does not exist`);
    const container = await startContainer(this.#tools, this.#clock, spec, namespace);
    this.#running.set(spec.id, container);
    let outOfMemory = false;
    const exceed = () => {
      outOfMemory = true;
      container.signal('SIGKILL');
    };
    const { memoryLimitBytes: limitBytes } = spec;
    if (limitBytes !== undefined) this.#memory.add(spec.id, { limitBytes, pid: container.pid, exceed });
    void container.exited.then((exit) => {
      this.#running.delete(spec.id);
      this.#memory.remove(spec.id);
      this.#onExit(outOfMemory ? { ...exit, outOfMemory } : exit);
    });
  }

  signal(id: string, signal: NodeJS.Signals): void {
    this.#running.get(id)?.signal(signal);
  }

  async remove(id: string, directory: string): Promise<void> {
    if (this.#running.has(id)) throw new RuntimeError('Internal', `container ${id} still runs`);
    await rm(directory, { recursive: true, force: true });
  }

  exec(id: string, argv: readonly string[], limits: ExecLimits): Promise<ExecResult> {
    return execInContainer(this.#tools, this.#clock, this.find(id), argv, limits);
  }

  async probe(target: ProbeTarget, timeoutMilliseconds: number): Promise<ProbeOutcome> {
    if (target.kind !== 'exec') return networkProbe(this.#clock, target, timeoutMilliseconds);
    try {
      const { exitCode, stdout, stderr } = await this.exec(target.container, target.argv, { timeoutMilliseconds });
      return { success: exitCode === 0, output: `${stdout}${stderr}` };
    } catch (error) {
      return { success: false, output: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Kills all containers of a sandbox and waits for their end. */
  async endAll(sandbox: string): Promise<void> {
    const inside = [...this.#running.values()].filter((container) => container.spec.sandbox === sandbox);
    for (const container of inside) container.signal('SIGKILL');
    await Promise.all(inside.map((container) => container.exited));
  }

  /** Freezes or continues all processes of a sandbox's containers. */
  async signalSandbox(sandbox: string, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const inside = [...this.#running.values()].filter((container) => container.spec.sandbox === sandbox);
    await Promise.all(inside.map(({ pid }) => signalAll(pid, signal)));
  }

  /** Any process of a sandbox, to inspect its network. */
  anyProcess(sandbox: string): number | undefined {
    return [...this.#running.values()].find((container) => container.spec.sandbox === sandbox)?.pid;
  }

  find(id: string): RunningContainer {
    const container = this.#running.get(id);
    if (!container) throw new RuntimeError('NotFound', `container ${id} is not running`);
    return container;
  }
}
