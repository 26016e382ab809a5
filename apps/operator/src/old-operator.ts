// SPDX-License-Identifier: Apache-2.0
import type { Runnable } from '@etcd-operator/controller-runtime';
import { type Client, endpoints, isKubeError } from '@etcd-operator/kube';
import type { Clock, Logger } from '@etcd-operator/ports';

/** Where the original operator's leader election leaves its record. */
const lockAnnotation = 'control-plane.alpha.kubernetes.io/leader';
/** Its lease: a record that is not renewed for this long is nobody's. */
const leaseDuration = 15_000;
const lookAgain = 5_000;

export interface OldOperatorOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly namespace: string;
  /** Name of the Endpoints object that is its lock: `etcd-operator`. */
  readonly lockName: string;
}

/**
 * Notices whether an operator of the original kind is alive. Its lock is an Endpoints object and ours a Lease, so the two do
 * not exclude each other; while it renews its lock nothing is touched. Once its lock has not moved for the length of its
 * lease, or there is none, it is not looked at again.
 */
export class OldOperator implements Runnable {
  readonly name: string;
  readonly needsLeader = false;
  readonly #options: OldOperatorOptions;
  #holder: string | undefined;
  #lastRecord = '';
  #lastChange = 0;

  constructor(options: OldOperatorOptions) {
    this.#options = options;
    this.name = `watch of the original ${options.lockName}`;
  }

  /** Who holds the old lock, in words; undefined if nobody does. */
  get holder(): string | undefined {
    return this.#holder;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    while (!signal.aborted && (await this.look(signal))) {
      log.warn('the original operator is alive; nothing is touched', { holder: this.#holder });
      await clock.sleep(lookAgain, signal).catch(() => undefined);
    }
    if (signal.aborted) return;
    // A runnable works until it is told to stop; this one has nothing more to do.
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  /** Looks once; true while the lock must be taken seriously. Time is measured here: the two clocks may differ. */
  async look(signal: AbortSignal): Promise<boolean> {
    const record = await this.#read(signal);
    const now = this.#options.clock.monotonic();
    if (record !== this.#lastRecord) {
      this.#lastRecord = record;
      this.#lastChange = now;
    }
    const isAlive = record !== '' && now - this.#lastChange < leaseDuration;
    this.#holder = isAlive ? holderOf(record) : undefined;
    return isAlive;
  }

  async #read(signal: AbortSignal): Promise<string> {
    const { client, namespace, lockName } = this.#options;
    try {
      const lock = await client.resource(endpoints).get({ namespace, name: lockName }, { signal });
      const record = lock.metadata?.annotations?.[lockAnnotation] ?? '';
      return holderOf(record) === '' ? '' : record;
    } catch (error) {
      if (isKubeError(error, 'NotFound', 'Forbidden')) return '';
      throw error;
    }
  }
}

/** The record is JSON; a released lock names nobody. */
function holderOf(record: string): string {
  try {
    const value: unknown = JSON.parse(record);
    const holder = typeof value === 'object' && value !== null && 'holderIdentity' in value ? value.holderIdentity : '';
    return typeof holder === 'string' ? holder : '';
  } catch {
    return '';
  }
}
