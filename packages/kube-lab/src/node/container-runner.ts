// SPDX-License-Identifier: Apache-2.0
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Container } from '@etcd-operator/kube';
import type { ContainerExit, ContainerMount } from '../runtime/container-runtime.ts';
import { isRuntimeError } from '../runtime/runtime-error.ts';
import { nextEntry, retryAt } from './back-off.ts';
import { ConfigError } from './config-source.ts';
import { logFile, rotateLogs, terminationMessage } from './container-logs.ts';
import { ContainerStop } from './container-stop.ts';
import type { ImagePuller, PulledImage } from './image-puller.ts';
import { LaunchError } from './launch-error.ts';
import { runHook } from './lifecycle-hook.ts';
import type { NodeContext } from './node-context.ts';
import type { PodAction } from './plan-pod.ts';
import { type ContainerFacts, containerHash, type StartedRun } from './pod-facts.ts';
import type { PodRecord } from './pod-record.ts';
import type { PodVolumes } from './pod-volumes.ts';
import { prepareContainer, terminationFile } from './prepare-container.ts';
import { Prober } from './prober.ts';
import { LogIndex } from './proxy/log-index.ts';
import { startProblem } from './start-problem.ts';

/** A hook may take this long if nothing else limits it: two minutes, as a request of the kubelet to a runtime. */
const hookTimeout = 120_000;

/** Starts and ends the containers of one pod, runs their probes and hooks, and keeps the record of what happened. */
export class ContainerRunner {
  readonly #node: NodeContext;
  readonly #puller: ImagePuller;
  readonly #record: PodRecord;
  readonly #volumes: PodVolumes;
  readonly #directory: string;
  readonly #probers = new Map<string, Prober>();
  readonly #stops = new Map<string, ContainerStop>();
  readonly #ended = new Map<string, AbortController>();
  readonly #outOfMemory = new Set<string>();
  readonly #logs = new Map<string, LogIndex>();
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
  }

  set podFiles(mounts: readonly ContainerMount[]) {
    this.#podFiles = mounts;
  }

  /** Begins a new run; what becomes of it shows in the record. */
  start(name: string): void {
    const container = this.#record.declared(name);
    const { setup } = this.#record.facts;
    if (!container || setup.state !== 'ready') return;
    const before = this.#record.container(name);
    const hash = containerHash(container);
    const id = Buffer.from(this.#node.random.bytes(32)).toString('hex');
    const { problem: _problem, ...rest } = before;
    const begun: ContainerFacts = {
      ...rest,
      run: { state: 'starting', id, hash },
      probes: {},
      restart: false,
      ...(before.run?.state === 'exited'
        ? {
            previous: before.run,
            restartCount: before.restartCount + 1,
            backOff: nextEntry(this.#node.backOff, before.backOff, hash, this.#node.clock.now()),
          }
        : {}),
    };
    this.#record.setContainer(name, begun);
    void this.#launch(container, { before, begun, id, hash, sandbox: setup.sandbox, podIp: setup.address });
  }

  /** Begins to end a run. */
  stop(action: Extract<PodAction, { type: 'stop' }>): void {
    const own = this.#record.container(action.container);
    const container = this.#record.declared(action.container);
    const { run } = own;
    if (run?.state !== 'running' || !container) return;
    this.#record.setContainer(action.container, {
      ...own,
      run: { ...run, state: 'stopping' },
      restart: action.restart,
    });
    this.#event(action.container, 'Normal', 'Killing', action.message);
    const stop = new ContainerStop(this.#node.clock, action.graceSeconds);
    this.#stops.set(run.id, stop);
    void stop.run({
      runtime: this.#node.runtime,
      container,
      runId: run.id,
      podIp: this.#podIp(),
      ended: this.#endedSignal(run.id),
      hookFailed: () => this.#event(action.container, 'Warning', 'FailedPreStopHook', 'PreStopHook failed'),
    });
  }

  /** Shortens the grace period of all stops under way. */
  shortenStops(graceSeconds: number): void {
    for (const stop of this.#stops.values()) stop.shorten(graceSeconds);
  }

  /** A run of this pod has ended. False if it is none of this pod's. */
  exited(exit: ContainerExit): boolean {
    const found = this.#record.findRun(exit.container);
    if (!found) return false;
    this.#forget(exit.container);
    void this.#settle(found.name, exit);
    return true;
  }

  /** Ends a container as the kernel does when memory runs out. */
  async killForMemory(name: string): Promise<void> {
    const { run } = this.#record.container(name);
    if (run?.state !== 'running' && run?.state !== 'stopping') return;
    this.#outOfMemory.add(run.id);
    await this.#node.runtime.signalContainer(run.id, 'SIGKILL');
  }

  /** When the parts of a run's log were written. */
  logIndex(name: string, attempt: number): Pick<LogIndex, 'timeOf' | 'offsetSince'> {
    return this.#logs.get(`${name}/${attempt}`) ?? { timeOf: () => this.#node.clock.now(), offsetSince: () => 0 };
  }

  /** Probes stand still. */
  pause(): void {
    for (const prober of this.#probers.values()) prober.pause();
  }

  resume(): void {
    for (const prober of this.#probers.values()) prober.resume();
  }

  /** Ends probes and stops; nothing is started any more. */
  close(): void {
    for (const id of [...this.#ended.keys()]) this.#forget(id);
    for (const index of this.#logs.values()) index.close();
  }

  async #launch(container: Container, launch: Launch): Promise<void> {
    const { name } = container;
    let pulled: PulledImage | undefined;
    try {
      pulled = this.#puller.pull(this.#record.pod, container, this.#record.fieldPath(name));
      const spec = await this.#prepare(container, pulled, launch);
      await this.#node.runtime.startContainer(spec);
    } catch (error) {
      await this.#notStarted(container, launch, pulled, error);
      return;
    }
    this.#indexLog(name, launch.begun.restartCount);
    const run = this.#startedRun(launch, pulled, container.lifecycle?.postStart === undefined);
    this.#ended.set(launch.id, new AbortController());
    this.#event(name, 'Normal', 'Created', 'Container created');
    this.#event(name, 'Normal', 'Started', 'Container started');
    const isRegular = this.#record.pod.spec?.containers.some((each) => each.name === name);
    if (isRegular) this.#record.facts = { ...this.#record.facts, initialized: true };
    this.#record.setContainer(name, { ...launch.begun, run: { state: 'running', ...run } });
    this.#probe(container, launch);
    await this.#postStart(container, launch);
  }

  async #prepare(container: Container, pulled: PulledImage, launch: Launch) {
    const { pod } = this.#record;
    const directory = this.#runDirectory(container.name, launch.id);
    try {
      return await prepareContainer({
        pod,
        container,
        image: pulled.image,
        runId: launch.id,
        sandbox: launch.sandbox,
        where: { nodeName: this.#node.nodeName, hostIp: this.#node.hostIp, podIp: launch.podIp },
        config: this.#node.config,
        volumes: this.#volumes,
        podFiles: this.#podFiles,
        directory,
        logFile: await rotateLogs(this.#node.directory, pod, container.name, launch.begun.restartCount),
      });
    } catch (error) {
      if (error instanceof ConfigError)
        throw new LaunchError('CreateContainerConfigError', error.message, { cause: error });
      throw error;
    }
  }

  /** A program that is missing has made a container that ended at once; everything else made none. */
  async #notStarted(
    container: Container,
    launch: Launch,
    pulled: PulledImage | undefined,
    error: unknown,
  ): Promise<void> {
    const { name } = container;
    const { backOff, timeFactor } = this.#node;
    const now = this.#node.clock.now();
    const { before, begun } = launch;
    const { problem, imageBackOff } = startProblem({
      container,
      error,
      before,
      begun,
      now,
      backOff,
      timeFactor,
    });
    const words = problem.reason === 'CreateContainerConfigError' ? problem.message : problem.reason;
    this.#event(
      name,
      'Warning',
      'Failed',
      `Error: ${problem.reason === 'RunContainerError' ? problem.message : words}`,
    );
    await rm(this.#runDirectory(name, launch.id), { recursive: true, force: true });
    if (isRuntimeError(error, 'StartFailed') && pulled) {
      const run = { ...this.#startedRun(launch, pulled, true), startedAt: 0 };
      const ended = {
        state: 'exited',
        finishedAt: now,
        exitCode: 128,
        reason: 'StartError',
        message: problem.message,
      } as const;
      this.#record.setContainer(name, { ...launch.begun, run: { ...run, ...ended }, problem });
      return;
    }
    this.#record.setContainer(name, { ...before, problem, ...(imageBackOff ? { imageBackOff } : {}) });
  }

  #probe(container: Container, { id, podIp }: Launch): void {
    const { name } = container;
    if (!container.startupProbe && !container.readinessProbe && !container.livenessProbe) return;
    const prober = new Prober({
      clock: this.#node.clock,
      runtime: this.#node.runtime,
      container,
      runId: id,
      podIp,
      listener: {
        verdict: (kind, verdict) => {
          const own = this.#record.container(name);
          if (own.run?.id === id)
            this.#record.setContainer(name, { ...own, probes: { ...own.probes, [kind]: verdict } });
        },
        failed: (kind, output) => {
          const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
          this.#event(name, 'Warning', 'Unhealthy', `${title} probe failed: ${output}`);
        },
      },
    });
    this.#probers.set(id, prober);
  }

  async #postStart(container: Container, { id, podIp }: Launch): Promise<void> {
    const handler = container.lifecycle?.postStart;
    if (!handler) return;
    const { runtime, clock } = this.#node;
    try {
      await runHook({ handler, container, runId: id, podIp, runtime, clock, timeoutMilliseconds: hookTimeout });
    } catch {
      this.#event(container.name, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
      const graceSeconds = this.#record.pod.spec?.terminationGracePeriodSeconds ?? 30;
      this.stop({
        type: 'stop',
        container: container.name,
        message: 'FailedPostStartHook',
        graceSeconds,
        restart: false,
      });
      return;
    }
    const own = this.#record.container(container.name);
    if (own.run?.id === id && own.run.state === 'running') {
      this.#record.setContainer(container.name, { ...own, run: { ...own.run, hooked: true } });
    }
  }

  async #settle(name: string, exit: ContainerExit): Promise<void> {
    const finishedAt = this.#node.clock.now();
    const container = this.#record.declared(name);
    const directory = this.#runDirectory(name, exit.container);
    const message = await terminationMessage({
      file: terminationFile(directory),
      log: (await this.#logOf(name)) ?? '',
      fallBackToLog: exit.exitCode !== 0 && container?.terminationMessagePolicy === 'FallbackToLogsOnError',
    });
    await this.#node.runtime.removeContainer(exit.container, join(directory, 'layer')).catch(() => undefined);
    await rm(directory, { recursive: true, force: true });
    const own = this.#record.container(name);
    const { run } = own;
    if (run?.id !== exit.container || run.state === 'starting' || run.state === 'exited') return;
    const reason = this.#outOfMemory.delete(run.id) ? 'OOMKilled' : exit.exitCode === 0 ? 'Completed' : 'Error';
    const ended = {
      state: 'exited',
      finishedAt,
      exitCode: exit.exitCode,
      reason,
      ...(message ? { message } : {}),
    } as const;
    this.#record.setContainer(name, { ...own, run: { ...run, ...ended }, probes: {} });
    this.#tellBackOff(name, own, finishedAt);
  }

  async #logOf(name: string): Promise<string | undefined> {
    const { restartCount } = this.#record.container(name);
    return rotateLogs(this.#node.directory, this.#record.pod, name, restartCount);
  }

  #tellBackOff(name: string, own: ContainerFacts, finishedAt: number): void {
    const container = this.#record.declared(name);
    if (!container || own.restart || this.#record.facts.ending) return;
    if (retryAt(this.#node.backOff, own.backOff, containerHash(container), finishedAt) <= finishedAt) return;
    const { name: pod, namespace, uid } = this.#record.pod.metadata ?? {};
    const message = `Back-off restarting failed container ${name} in pod ${pod}_${namespace}(${uid})`;
    this.#event(name, 'Warning', 'BackOff', message);
  }

  #startedRun(launch: Launch, pulled: PulledImage, hooked: boolean): StartedRun {
    return {
      id: launch.id,
      hash: launch.hash,
      image: pulled.name,
      imageId: pulled.id,
      startedAt: this.#node.clock.now(),
      attempt: launch.begun.restartCount,
      hooked,
    };
  }

  #indexLog(name: string, attempt: number): void {
    const file = logFile(this.#node.directory, this.#record.pod, name, attempt);
    this.#logs.get(`${name}/${attempt - 1}`)?.close();
    this.#logs.delete(`${name}/${attempt - 2}`);
    this.#logs.set(`${name}/${attempt}`, new LogIndex(file, this.#node.clock));
  }

  #forget(id: string): void {
    this.#probers.get(id)?.stop();
    this.#probers.delete(id);
    this.#stops.delete(id);
    this.#ended.get(id)?.abort();
    this.#ended.delete(id);
  }

  #endedSignal(id: string): AbortSignal {
    return (this.#ended.get(id) ?? new AbortController()).signal;
  }

  #podIp(): string {
    const { setup } = this.#record.facts;
    return setup.state === 'ready' ? setup.address : '';
  }

  #runDirectory(name: string, id: string): string {
    return join(this.#directory, 'containers', name, id.slice(0, 12));
  }

  #event(name: string, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#node.events.event(this.#record.pod, type, reason, message, this.#record.fieldPath(name));
  }
}

interface Launch {
  readonly before: ContainerFacts;
  readonly begun: ContainerFacts;
  readonly id: string;
  readonly hash: string;
  readonly sandbox: string;
  readonly podIp: string;
}
