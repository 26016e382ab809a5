// SPDX-License-Identifier: Apache-2.0
import type { Container, Probe } from '@operator-parts/kube';
import type { Clock, Timer } from '@operator-parts/ports';
import type { ContainerRuntime, ProbeOutcome } from '../../runtime/container-runtime.ts';
import type { ProbeKind, ProbeVerdict } from '../pod/pod-facts.ts';
import { count, newTally, type ProbeTally } from './probe-tally.ts';
import { probeTarget } from './probe-target.ts';

/** What a prober reports to its owner. */
export interface ProberListener {
  /** The verdict changed, or this is the first result. */
  verdict(kind: ProbeKind, verdict: ProbeVerdict): void;
  /** One attempt failed; for the kubelet's event. */
  failed(kind: ProbeKind, output: string): void;
}

const kinds = ['startup', 'readiness', 'liveness'] as const;

/**
 * Runs the probes of one run of a container until it is stopped. The startup probe runs first; the others start after
 * its success. At most one attempt of each probe is in progress.
 */
export class Prober {
  readonly #clock: Clock;
  readonly #runtime: ContainerRuntime;
  readonly #container: Container;
  readonly #runId: string;
  readonly #podIp: string;
  readonly #listener: ProberListener;
  readonly #startedAt: number;
  readonly #tallies = new Map<ProbeKind, ProbeTally>();
  readonly #timers = new Map<ProbeKind, Timer>();
  #stopped = false;
  #paused = false;

  constructor(options: {
    readonly clock: Clock;
    readonly runtime: ContainerRuntime;
    readonly container: Container;
    readonly runId: string;
    readonly podIp: string;
    readonly listener: ProberListener;
  }) {
    this.#clock = options.clock;
    this.#runtime = options.runtime;
    this.#container = options.container;
    this.#runId = options.runId;
    this.#podIp = options.podIp;
    this.#listener = options.listener;
    this.#startedAt = options.clock.monotonic();
    for (const kind of kinds) if (this.#probe(kind)) this.#tallies.set(kind, newTally(kind));
    this.#begin(this.#probe('startup') ? ['startup'] : ['readiness', 'liveness']);
  }

  /** Makes no attempts until `resume`. The result of an attempt in progress does not count. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  #probe(kind: ProbeKind): Probe | undefined {
    const { startupProbe, readinessProbe, livenessProbe } = this.#container;
    return { startup: startupProbe, readiness: readinessProbe, liveness: livenessProbe }[kind];
  }

  /** The first attempt is made after the initial delay, counted from the start of the container. */
  #begin(some: readonly ProbeKind[]): void {
    const elapsed = this.#clock.monotonic() - this.#startedAt;
    for (const kind of some) {
      const probe = this.#probe(kind);
      if (probe) this.#arm(kind, Math.max(0, (probe.initialDelaySeconds ?? 0) * 1000 - elapsed));
    }
  }

  #arm(kind: ProbeKind, delay: number): void {
    if (this.#stopped) return;
    this.#timers.set(
      kind,
      this.#clock.schedule(delay, () => void this.#attempt(kind)),
    );
  }

  async #attempt(kind: ProbeKind): Promise<void> {
    const probe = this.#probe(kind);
    if (!probe || this.#stopped) return;
    const begun = this.#clock.monotonic();
    const outcome = this.#paused ? undefined : await this.#run(probe);
    if (this.#stopped) return;
    if (outcome && !this.#paused) this.#take(kind, probe, outcome);
    const isDone = kind === 'startup' && this.#tallies.get(kind)?.verdict === 'success';
    const period = (probe.periodSeconds ?? 10) * 1000;
    if (!isDone) this.#arm(kind, Math.max(0, period - (this.#clock.monotonic() - begun)));
  }

  async #run(probe: Probe): Promise<ProbeOutcome> {
    const target = probeTarget(probe, this.#container, this.#runId, this.#podIp);
    if (!target) return { success: false, output: 'the container has no port with the name in the probe' };
    try {
      return await this.#runtime.probe(target, (probe.timeoutSeconds ?? 1) * 1000);
    } catch (error) {
      return { success: false, output: error instanceof Error ? error.message : String(error) };
    }
  }

  #take(kind: ProbeKind, probe: Probe, outcome: ProbeOutcome): void {
    const before = this.#tallies.get(kind) ?? newTally(kind);
    const after = count(before, outcome.success, probe);
    this.#tallies.set(kind, after);
    if (!outcome.success) this.#listener.failed(kind, outcome.output);
    if (after.verdict === before.verdict && before.last !== undefined) return;
    this.#listener.verdict(kind, after.verdict);
    if (kind === 'startup' && after.verdict === 'success') this.#begin(['readiness', 'liveness']);
  }
}
