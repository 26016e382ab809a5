// SPDX-License-Identifier: Apache-2.0
import type { ObjectKey } from '@operator-parts/kube';
import type { AgentProcess } from '../../runtime/agent-process.ts';
import type { ContainerRuntime } from '../../runtime/container-runtime.ts';
import { RuntimeError } from '../../runtime/runtime-error.ts';
import { createFault, type Fault } from './fault.ts';
import type { Directory } from './target.ts';

/** Faults of a single pod. */
export class PodFaults {
  readonly #agent: AgentProcess;
  readonly #runtime: ContainerRuntime;
  readonly #directory: Directory;

  constructor(agent: AgentProcess, runtime: ContainerRuntime, directory: Directory) {
    this.#agent = agent;
    this.#runtime = runtime;
    this.#directory = directory;
  }

  /** Freezes every process of the pod. Its kubelet keeps running, so its probes time out. */
  async freeze(pod: ObjectKey): Promise<Fault> {
    const sandboxes = this.#directory.sandboxes({ pod });
    for (const sandbox of sandboxes) await this.#agent.call('freeze', { sandbox, frozen: true });
    return createFault(async () => {
      for (const sandbox of sandboxes) await this.#agent.call('freeze', { sandbox, frozen: false });
    });
  }

  /** Sends a signal to a container's main process; by default the first container's. */
  async signal(pod: ObjectKey, signal: NodeJS.Signals, container?: string): Promise<void> {
    await this.#runtime.signalContainer(this.#runOf(pod, container), signal);
  }

  /** Kills a container, like the kernel when its memory limit is exceeded: exit code 137, reason OOMKilled. */
  async outOfMemory(pod: ObjectKey, container?: string): Promise<void> {
    const worker = this.#directory.pod(pod);
    await worker.runner.killForMemory(container ?? worker.pod.spec?.containers[0]?.name ?? '');
  }

  #runOf(pod: ObjectKey, container: string | undefined): string {
    const worker = this.#directory.pod(pod);
    const name = container ?? worker.pod.spec?.containers[0]?.name ?? '';
    const { run } = worker.record.container(name);
    if (run && run.state !== 'exited' && run.state !== 'starting') return run.id;
    throw new RuntimeError('NotFound', `container ${name} of pod ${pod.name} does not run`);
  }
}
