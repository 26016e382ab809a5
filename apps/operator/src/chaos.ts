// SPDX-License-Identifier: Apache-2.0
import type { Runnable } from '@operator-parts/controller-runtime';
import { type Client, pods } from '@operator-parts/kube';
import type { Clock, Logger, Random } from '@operator-parts/ports';

export interface ChaosOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly namespace: string;
  /**
   * 1: deletes one pod from time to time, after a quiet minute. 2: deletes one to five pods every 30 s, from the start. Any other value:
   * deletes nothing.
   */
  readonly level: number;
}

const period = 30_000;
const calmStart = 60_000;

/** Deletes random member pods, as CoreOS's `-chaos-level` does, to show that clusters survive it. For tests only. */
export class Chaos implements Runnable {
  readonly name = 'chaos';
  readonly needsLeader = true;
  readonly #options: ChaosOptions;

  constructor(options: ChaosOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, level, random, log } = this.#options;
    try {
      if (level === 1) await clock.sleep(calmStart, signal);
      while (!signal.aborted) {
        if (level === 2 || random.next() < 0.5) await this.strike(signal);
        await clock.sleep(period, signal);
      }
    } catch (error) {
      if (!signal.aborted) log.error('chaos ended', { error });
    }
  }

  /** Deletes some pods immediately, without a grace period. */
  async strike(signal: AbortSignal): Promise<readonly string[]> {
    const { client, namespace, random, level, log } = this.#options;
    const { items } = await client.resource(pods).list({ namespace, labelSelector: 'app=etcd', signal });
    const left = items.map((pod) => pod.metadata?.name ?? '').sort();
    const wanted = level === 2 ? 1 + Math.floor(random.next() * 5) : 1;
    const victims: string[] = [];
    while (victims.length < wanted && left.length > 0) {
      victims.push(...left.splice(Math.floor(random.next() * left.length), 1));
    }
    for (const name of victims) {
      log.warn('deleting a random pod (-chaos-level)', { object: `Pod ${namespace}/${name}` });
      await client.resource(pods).delete({ namespace, name }, { gracePeriodSeconds: 0, signal });
    }
    return victims;
  }
}
