// SPDX-License-Identifier: Apache-2.0
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Container } from '@operator-parts/kube';
import type { ContainerExit, ContainerMount } from '../../runtime/container-runtime.ts';
import { isRuntimeError } from '../../runtime/runtime-error.ts';
import type { PodVolumes } from '../files/pod-volumes.ts';
import type { NodeContext } from '../node-context.ts';
import { graceSeconds, type PodAction } from '../pod/plan-pod.ts';
import { type ContainerFacts, containerHash, type StartedRun, type StartProblem } from '../pod/pod-facts.ts';
import type { PodRecord } from '../pod/pod-record.ts';
import type { ProberListener } from '../probes/prober.ts';
import { nextEntry, retryAt } from './back-off.ts';
import { logFile, terminationMessage } from './container-logs.ts';
import { ContainerStop } from './container-stop.ts';
import type { ImagePuller, PulledImage } from './image-puller.ts';
import { type Launch, launchContainer, runDirectory } from './launch-container.ts';
import { runHook } from './lifecycle-hook.ts';
import { terminationFile } from './prepare-container.ts';
import { RunCompanions } from './run-companions.ts';
import { startProblem } from './start-problem.ts';

/**
 * The time limit of a postStart hook, in milliseconds: the limit of the kubelet for requests to a container runtime.
 */
const hookTimeout = 120_000;

/** Starts and stops the containers of one pod, and records their state. */
export class ContainerRunner {
  readonly companions: RunCompanions;
  readonly #node: NodeContext;
  readonly #puller: ImagePuller;
  readonly #record: PodRecord;
  readonly #volumes: PodVolumes;
  readonly #directory: string;
  readonly #outOfMemory = new Set<string>();
  #podFiles: readonly ContainerMount[] = [];

  constructor(options: {
    readonly node: NodeContext;
    readonly puller: ImagePuller;
    readonly record: PodRecord;
    readonly volumes: PodVolumes;
    readonly directory: string;
  }) {
    this.#node = options.node;
    this.#puller = options.puller;
    this.#record = options.record;
    this.#volumes = options.volumes;
    this.#directory = options.directory;
    this.companions = new RunCompanions(options.node);
  }

  set podFiles(mounts: readonly ContainerMount[]) {
    this.#podFiles = mounts;
  }

  /** Starts a new run; its state is in the record. */
  start(name: string): void {
    const { pod, facts } = this.#record;
    const container = this.#record.declared(name);
    if (!container || facts.setup.state !== 'ready') return;
    const { sandbox, addresses: podIps } = facts.setup;
    const before = this.#record.container(name);
    const runId = Buffer.from(this.#node.random.bytes(32)).toString('hex');
    const begun = this.#begin(before, containerHash(container), runId);
    this.#record.setContainer(name, begun);
    const { restartCount: attempt } = begun;
    const common = { podFiles: this.#podFiles, directory: this.#directory };
    this.#watch(this.#launch({ pod, container, runId, sandbox, podIps, attempt, ...common }, before, begun));
  }

  /** Starts to stop a run. */
  stop(action: Extract<PodAction, { type: 'stop' }>): void {
    const own = this.#record.container(action.container);
    const container = this.#record.declared(action.container);
    const { run } = own;
    const { setup } = this.#record.facts;
    if (run?.state !== 'running' || !container) return;
    const { restart } = action;
    this.#record.setContainer(action.container, { ...own, run: { ...run, state: 'stopping' }, restart });
    this.#event(action.container, 'Normal', 'Killing', action.message);
    const stop = new ContainerStop(this.#node.clock, action.graceSeconds);
    void stop.run({
      runtime: this.#node.runtime,
      container,
      runId: run.id,
      podIp: setup.state === 'ready' ? setup.addresses[0] : '',
      ended: this.companions.stopping(run.id, stop),
      hookFailed: () => this.#event(action.container, 'Warning', 'FailedPreStopHook', 'PreStopHook failed'),
    });
  }

  /** Called when a run has ended. Returns false if the run belongs to another pod. */
  exited(exit: ContainerExit): boolean {
    const found = this.#record.findRun(exit.container);
    if (!found) return false;
    this.companions.end(exit.container);
    this.#watch(this.#settle(found.name, exit));
    return true;
  }

  /** Kills a container, like the kernel when memory runs out. */
  async killForMemory(name: string): Promise<void> {
    const { run } = this.#record.container(name);
    if (run?.state !== 'running' && run?.state !== 'stopping') return;
    this.#outOfMemory.add(run.id);
    await this.#node.runtime.signalContainer(run.id, 'SIGKILL');
  }

  /** The facts of a container whose next run begins. */
  #begin(before: ContainerFacts, hash: string, id: string): ContainerFacts {
    const { problem: _problem, ...rest } = before;
    const fresh = { ...rest, run: { state: 'starting', id, hash, before }, probes: {}, restart: false } as const;
    if (before.run?.state !== 'exited') return fresh;
    const backOff = nextEntry(this.#node.backOff, before.backOff, hash, this.#node.clock.now());
    return { ...fresh, previous: before.run, restartCount: before.restartCount + 1, backOff };
  }

  async #launch(launch: Launch, before: ContainerFacts, begun: ContainerFacts): Promise<void> {
    const { container, pod } = launch;
    const { name } = container;
    let pulled: PulledImage | undefined;
    try {
      pulled = this.#puller.pull(pod, container, this.#record.fieldPath(name));
      await launchContainer(this.#node, this.#volumes, pulled, launch);
    } catch (error) {
      await this.#notStarted(launch, before, begun, pulled, error);
      return;
    }
    this.#event(name, 'Normal', 'Created', 'Container created');
    this.#event(name, 'Normal', 'Started', 'Container started');
    const isRegular = pod.spec?.containers.some((each) => each.name === name);
    if (isRegular) this.#record.facts = { ...this.#record.facts, initialized: true };
    const run = this.#startedRun(launch, pulled, container.lifecycle?.postStart === undefined);
    this.#record.setContainer(name, { ...begun, run: { state: 'running', ...run } });
    const log = logFile(this.#node.directory, pod, name, launch.attempt);
    const listener = this.#proberListener(name, launch.runId);
    this.companions.begin({ ...launch, podIp: launch.podIps[0], logFile: log, listener });
    await this.#postStart(launch);
  }

  /** A missing program is reported as a container that exited at once; with other errors no container was created. */
  async #notStarted(
    launch: Launch,
    before: ContainerFacts,
    begun: ContainerFacts,
    pulled: PulledImage | undefined,
    error: unknown,
  ): Promise<void> {
    const { container } = launch;
    const { backOff, timeFactor } = this.#node;
    const now = this.#node.clock.now();
    const found = startProblem({ container, error, before, begun, now, backOff, timeFactor });
    const { problem, imageBackOff, words } = found;
    this.#event(container.name, 'Warning', 'Failed', `Error: ${words}`);
    await rm(runDirectory(this.#directory, container.name, launch.runId), { recursive: true, force: true });
    if (isRuntimeError(error, 'StartFailed') && pulled) {
      const { message } = problem;
      const ended = { state: 'exited', finishedAt: now, exitCode: 128, reason: 'StartError', message } as const;
      const run = { ...this.#startedRun(launch, pulled, true), startedAt: 0, ...ended };
      // From the second failure on, the status shows CrashLoopBackOff instead of the problem.
      const told = begun.backOff ? {} : { problem };
      this.#record.setContainer(container.name, { ...begun, run, ...told });
      return;
    }
    this.#record.setContainer(container.name, { ...before, problem, ...(imageBackOff ? { imageBackOff } : {}) });
    if (problem.later) this.#tellPullBackOff(container, problem);
  }

  /** Records the events of the moment at which the reason changes from ErrImagePull to ImagePullBackOff. */
  #tellPullBackOff(container: Container, problem: StartProblem): void {
    const { clock } = this.#node;
    clock.schedule((problem.later?.at ?? 0) - clock.now(), () => {
      if (this.#record.container(container.name).problem !== problem || this.#record.facts.ending) return;
      this.#event(container.name, 'Normal', 'BackOff', `Back-off pulling image "${container.image}"`);
      this.#event(container.name, 'Warning', 'Failed', 'Error: ImagePullBackOff');
    });
  }

  #proberListener(name: string, runId: string): ProberListener {
    return {
      verdict: (kind, verdict) => {
        const own = this.#record.container(name);
        const probes = { ...own.probes, [kind]: verdict };
        if (own.run?.id === runId) this.#record.setContainer(name, { ...own, probes });
      },
      failed: (kind, output) => {
        const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
        this.#event(name, 'Warning', 'Unhealthy', `${title} probe failed: ${output}`);
      },
    };
  }

  async #postStart({ container, runId, podIps: [podIp], pod }: Launch): Promise<void> {
    const handler = container.lifecycle?.postStart;
    if (!handler) return;
    const { runtime, clock } = this.#node;
    const { name } = container;
    try {
      await runHook({ handler, container, runId, podIp, runtime, clock, timeoutMilliseconds: hookTimeout });
    } catch {
      this.#event(name, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
      const message = 'FailedPostStartHook';
      this.stop({ type: 'stop', container: name, message, graceSeconds: graceSeconds(pod), restart: false });
      return;
    }
    const own = this.#record.container(name);
    if (own.run?.id === runId && own.run.state === 'running') {
      this.#record.setContainer(name, { ...own, run: { ...own.run, hooked: true } });
    }
  }

  async #settle(name: string, exit: ContainerExit): Promise<void> {
    const finishedAt = this.#node.clock.now();
    const message = await this.#lastWords(name, exit);
    const directory = runDirectory(this.#directory, name, exit.container);
    await this.#node.runtime.removeContainer(exit.container, join(directory, 'layer')).catch(() => undefined);
    await rm(directory, { recursive: true, force: true });
    const own = this.#record.container(name);
    const { run } = own;
    if (run?.id !== exit.container || run.state === 'starting' || run.state === 'exited') return;
    const wasKilled = this.#outOfMemory.delete(run.id) || exit.outOfMemory === true;
    const reason = wasKilled ? 'OOMKilled' : exit.exitCode === 0 ? 'Completed' : 'Error';
    const { exitCode } = exit;
    const ended = { state: 'exited', finishedAt, exitCode, reason, ...(message ? { message } : {}) } as const;
    this.#record.setContainer(name, { ...own, run: { ...run, ...ended }, probes: {} });
    this.#tellBackOff(name, own, finishedAt);
  }

  #lastWords(name: string, exit: ContainerExit): Promise<string> {
    const container: Container | undefined = this.#record.declared(name);
    const { restartCount } = this.#record.container(name);
    return terminationMessage({
      file: terminationFile(runDirectory(this.#directory, name, exit.container)),
      log: logFile(this.#node.directory, this.#record.pod, name, restartCount),
      fallBackToLog: exit.exitCode !== 0 && container?.terminationMessagePolicy === 'FallbackToLogsOnError',
    });
  }

  #tellBackOff(name: string, own: ContainerFacts, finishedAt: number): void {
    const container = this.#record.declared(name);
    if (!container || own.restart || this.#record.facts.ending) return;
    if (retryAt(this.#node.backOff, own.backOff, containerHash(container), finishedAt) <= finishedAt) return;
    const { name: pod, namespace, uid } = this.#record.pod.metadata ?? {};
    const message = `Back-off restarting failed container ${name} in pod ${pod}_${namespace}(${uid})`;
    this.#event(name, 'Warning', 'BackOff', message);
  }

  #startedRun({ container, runId, attempt }: Launch, pulled: PulledImage, hooked: boolean): StartedRun {
    const { name: image, id: imageId } = pulled;
    const startedAt = this.#node.clock.now();
    return { id: runId, hash: containerHash(container), image, imageId, startedAt, attempt, hooked };
  }

  /** A failure of unawaited work must be logged and must not end the process. */
  #watch(work: Promise<void>): void {
    work.catch((error: unknown) => {
      const { namespace, name } = this.#record.pod.metadata ?? {};
      this.#node.log.error('kubelet could not finish', { object: `Pod ${namespace}/${name}`, error });
    });
  }

  #event(name: string, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#node.events.event(this.#record.pod, type, reason, message, this.#record.fieldPath(name));
  }
}
