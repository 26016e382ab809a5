// SPDX-License-Identifier: Apache-2.0
import { writeVolume } from '../../runtime/atomic-files.ts';
import type {
  ContainerExit,
  ContainerRuntime,
  ContainerSpec,
  ProbeOutcome,
  ProbeTarget,
  WrittenFile,
} from '../../runtime/container-runtime.ts';
import { RuntimeError } from '../../runtime/runtime-error.ts';

/** A container of the fake: how it was started, and how a test ends it. */
export interface FakeContainer {
  readonly spec: ContainerSpec;
  readonly signals: NodeJS.Signals[];
  running: boolean;
}

/**
 * A runtime without processes, for tests of the kubelet under virtual time. Containers run until the test ends them;
 * SIGKILL ends them at once, SIGTERM does if `endsOnTerm`; the test sets the results of probes.
 */
export class FakeRuntime implements ContainerRuntime {
  readonly containers: FakeContainer[] = [];
  readonly sandboxes = new Set<string>();
  readonly probes: ProbeTarget[] = [];
  endsOnTerm = true;
  /** The programs that exist. If undefined, every program exists. */
  programs: ReadonlySet<string> | undefined;
  probeOutcome: (target: ProbeTarget) => ProbeOutcome | Promise<ProbeOutcome> = () => ({ success: true, output: '' });
  readonly #listeners = new Set<(exit: ContainerExit) => void>();

  /** The latest run of a container. */
  latest(name: string): FakeContainer {
    const found = this.runs(name).at(-1);
    if (!found) throw new Error(`no container ${name} was started`);
    return found;
  }

  /** All runs of a container, in order. The path of a run's folder contains the container's name. */
  runs(name: string): readonly FakeContainer[] {
    return this.containers.filter(({ spec }) => spec.directory.split('/').at(-3) === name);
  }

  /** Ends the latest run of a container. */
  end(name: string, exitCode: number): void {
    this.#exit(this.latest(name), exitCode);
  }

  createSandbox(spec: { readonly id: string }): Promise<void> {
    this.sandboxes.add(spec.id);
    return Promise.resolve();
  }

  async removeSandbox(id: string): Promise<void> {
    this.sandboxes.delete(id);
    for (const container of this.containers) if (container.spec.sandbox === id) this.#exit(container, 137);
  }

  startContainer(spec: ContainerSpec): Promise<void> {
    if (!this.sandboxes.has(spec.sandbox)) return Promise.reject(new RuntimeError('NotFound', 'no such sandbox'));
    const [program = ''] = spec.argv;
    if (this.programs && !this.programs.has(program)) {
      return Promise.reject(new RuntimeError('StartFailed', `exec: "${program}": executable file not found in $PATH`));
    }
    this.containers.push({ spec, signals: [], running: true });
    return Promise.resolve();
  }

  signalContainer(id: string, signal: NodeJS.Signals): Promise<void> {
    const container = this.containers.find(({ spec }) => spec.id === id);
    container?.signals.push(signal);
    if (container && signal === 'SIGKILL') this.#exit(container, 137);
    if (container && signal === 'SIGTERM' && this.endsOnTerm) this.#exit(container, 0);
    return Promise.resolve();
  }

  removeContainer(): Promise<void> {
    return Promise.resolve();
  }

  exec(): Promise<{ exitCode: number; stdout: string; stderr: string }> {
    return Promise.resolve({ exitCode: 0, stdout: '', stderr: '' });
  }

  probe(target: ProbeTarget): Promise<ProbeOutcome> {
    this.probes.push(target);
    return Promise.resolve(this.probeOutcome(target));
  }

  mountMemory(): Promise<void> {
    return Promise.resolve();
  }

  resizeMemory(): Promise<void> {
    return Promise.resolve();
  }

  unmount(): Promise<void> {
    return Promise.resolve();
  }

  writeFiles(directory: string, files: readonly WrittenFile[], name: string): Promise<void> {
    return writeVolume(directory, files, name);
  }

  onExit(listener: (exit: ContainerExit) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #exit(container: FakeContainer, exitCode: number): void {
    if (!container.running) return;
    container.running = false;
    for (const listener of this.#listeners) listener({ container: container.spec.id, exitCode });
  }
}
