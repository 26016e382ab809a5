// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerStatus, Pod } from '@operator-parts/kube';
import type { LogRecord } from '@operator-parts/ports';
import type { RestoreLab } from '../restore-lab.ts';

/** Pods are read at this interval. It is long, so that the measurement does not slow down the lab, which is in the same process. */
const pollInterval = 250;

/** The events of a restore, with the seconds since its beginning: the operator's steps and the stages of its pods. */
export class Timeline {
  readonly #lab: RestoreLab;
  readonly #cluster: string;
  readonly #began = Date.now();
  readonly #firstRecords: readonly number[];
  readonly #seen = new Map<string, number>();
  readonly #stop = new AbortController();
  readonly #watching: Promise<void>;

  constructor(lab: RestoreLab, cluster: string) {
    this.#lab = lab;
    this.#cluster = cluster;
    this.#firstRecords = logsOf(lab).map(({ length }) => length);
    this.#watching = this.#watch();
  }

  /** Stops recording; returns all events in order, in one line. */
  async end(): Promise<string> {
    this.#stop.abort();
    await this.#watching;
    const steps = logsOf(this.#lab)
      .flatMap((log, index) => log.slice(this.#firstRecords[index]))
      .filter(({ message }) => message === 'step')
      .map(({ time, fields }) => [String(fields['do']), time] as const);
    return [...steps, ...this.#seen]
      .sort(([, a], [, b]) => a - b)
      .map(([what, time]) => `${((time - this.#began) / 1000).toFixed(2)} ${what}`)
      .join(', ');
  }

  async #watch(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const states = (await this.#lab.clusters.pods(this.#cluster)).flatMap(statesOf);
      for (const what of states) if (!this.#seen.has(what)) this.#seen.set(what, Date.now());
      await sleep(pollInterval);
    }
  }
}

/** Logs of the restore operator, which creates the first member, and of the cluster operator, which adds the others. */
function logsOf({ log, clusters }: RestoreLab): readonly (readonly LogRecord[])[] {
  return [log, clusters.log];
}

function statesOf({ metadata, status }: Pod): readonly string[] {
  const pod = metadata?.name?.slice(-4);
  const of = ({ name, state, ready }: ContainerStatus) => [
    ...(state?.running ? [`${pod} ${name} runs`] : []),
    ...(state?.terminated ? [`${pod} ${name} ended`] : []),
    ...(ready && state?.running ? [`${pod} ${name} ready`] : []),
  ];
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].flatMap(of);
}
