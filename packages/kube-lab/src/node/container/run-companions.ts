// SPDX-License-Identifier: Apache-2.0
import type { Container } from '@operator-parts/kube';
import type { NodeContext } from '../node-context.ts';
import { Prober, type ProberListener } from '../probes/prober.ts';
import { LogIndex } from '../proxy/log-index.ts';
import type { ContainerStop } from './container-stop.ts';

/** What accompanies the runs of a pod's containers: probes, stops in progress, and the times of their logs. */
export class RunCompanions {
  readonly #node: NodeContext;
  readonly #probers = new Map<string, Prober>();
  readonly #stops = new Map<string, ContainerStop>();
  readonly #ended = new Map<string, AbortController>();
  readonly #logs = new Map<string, LogIndex>();

  constructor(node: NodeContext) {
    this.#node = node;
  }

  /** Begins to watch the log of a new run, and creates the run's probes. */
  begin(options: {
    readonly runId: string;
    readonly container: Container;
    readonly attempt: number;
    readonly podIp: string;
    readonly logFile: string;
    readonly listener: ProberListener;
  }): void {
    const { runId, container, attempt, podIp, listener } = options;
    const { clock, runtime } = this.#node;
    this.#ended.set(runId, new AbortController());
    this.#logs.get(`${container.name}/${attempt - 1}`)?.close();
    this.#logs.delete(`${container.name}/${attempt - 2}`);
    this.#logs.set(`${container.name}/${attempt}`, new LogIndex(options.logFile, clock));
    if (!container.startupProbe && !container.readinessProbe && !container.livenessProbe) return;
    this.#probers.set(runId, new Prober({ clock, runtime, container, runId, podIp, listener }));
  }

  /** Registers a stop in progress. The returned signal is aborted when the run has ended. */
  stopping(runId: string, stop: ContainerStop): AbortSignal {
    this.#stops.set(runId, stop);
    return (this.#ended.get(runId) ?? new AbortController()).signal;
  }

  shortenStops(graceSeconds: number): void {
    for (const stop of this.#stops.values()) stop.shorten(graceSeconds);
  }

  /** Ends the probes of a run that has ended, and the stop in progress. */
  end(runId: string): void {
    this.#probers.get(runId)?.stop();
    this.#probers.delete(runId);
    this.#stops.delete(runId);
    this.#ended.get(runId)?.abort();
    this.#ended.delete(runId);
  }

  /** When the parts of a run's log were written. */
  logIndex(container: string, attempt: number): Pick<LogIndex, 'timeOf' | 'offsetSince'> {
    const known = this.#logs.get(`${container}/${attempt}`);
    return known ?? { timeOf: () => this.#node.clock.now(), offsetSince: () => 0 };
  }

  pause(): void {
    for (const prober of this.#probers.values()) prober.pause();
  }

  resume(): void {
    for (const prober of this.#probers.values()) prober.resume();
  }

  close(): void {
    for (const runId of [...this.#ended.keys()]) this.end(runId);
    for (const index of this.#logs.values()) index.close();
  }
}
