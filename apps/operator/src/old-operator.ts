// SPDX-License-Identifier: Apache-2.0
import type { Runnable } from '@etcd-operator/controller-runtime';
import { type Client, endpoints, isKubeError, type KubeObject, whenAborted } from '@etcd-operator/kube';
import type { Clock, Logger } from '@etcd-operator/ports';

/** Where CoreOS etcd-operator's leader election leaves its record. */
const lockAnnotation = 'control-plane.alpha.kubernetes.io/leader';
/** Its lease duration: a lock that is not renewed for this long is free. */
const leaseDuration = 15_000;
const lookAgain = 5_000;
/** After a read that failed: nothing is reconciled before the first has succeeded. */
const tryAgain = 1_000;

export interface OldOperatorOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly namespace: string;
  /** Name of the Endpoints object that is its lock: `etcd-operator`. */
  readonly lockName: string;
}

/**
 * Notices whether a CoreOS etcd-operator is alive. Its lock is an Endpoints object and ours a Lease, so the two do
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
    this.name = `watch of the CoreOS ${options.lockName}`;
  }

  /** Who holds the old lock, in words; undefined if nobody does. */
  get holder(): string | undefined {
    return this.#holder;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    while (!signal.aborted && (await this.look(signal))) {
      log.warn('The CoreOS etcd-operator still holds its lock; reconciliation is suspended until it is scaled to 0', {
        holder: this.#holder,
      });
      await clock.sleep(lookAgain, signal).catch(() => undefined);
    }
    // A runnable works until it is stopped; this one has nothing more to do.
    await whenAborted(signal);
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
    this.#holder = isAlive ? recordHolder(record) : undefined;
    return isAlive;
  }

  /** Until the API server has answered, the last known holder is assumed. */
  async #read(signal: AbortSignal): Promise<string> {
    const { client, clock, log, namespace, lockName } = this.#options;
    for (;;) {
      try {
        const lock = await client.resource(endpoints).get({ namespace, name: lockName }, { signal });
        return lockRecord(lock);
      } catch (error) {
        if (isKubeError(error, 'NotFound', 'Forbidden')) return '';
        signal.throwIfAborted();
        const object = `Endpoints ${namespace}/${lockName}`;
        log.warn('The lock of the CoreOS etcd-operator cannot be read; retrying', { object, error });
        await clock.sleep(tryAgain, signal);
      }
    }
  }
}

/** What a lock says; empty if nobody holds it. */
export function lockRecord(lock: KubeObject | undefined): string {
  const record = lock?.metadata?.annotations?.[lockAnnotation] ?? '';
  return recordHolder(record) === '' ? '' : record;
}

/** The record is JSON; a released lock names nobody. */
export function recordHolder(record: string): string {
  // Mostly there is none, and an error costs more than all else here.
  if (record === '') return '';
  try {
    const value: unknown = JSON.parse(record);
    const holder = typeof value === 'object' && value !== null && 'holderIdentity' in value ? value.holderIdentity : '';
    return typeof holder === 'string' ? holder : '';
  } catch {
    return '';
  }
}
