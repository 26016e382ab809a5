// SPDX-License-Identifier: Apache-2.0
import type { Runnable } from '@operator-parts/controller-runtime';
import { type Client, endpoints, isKubeError, type KubeObject, whenAborted } from '@operator-parts/kube';
import type { Clock, Logger } from '@operator-parts/ports';

/** The annotation with the leader election record of CoreOS etcd-operator. */
const lockAnnotation = 'control-plane.alpha.kubernetes.io/leader';
/** Its lease duration: a lock that is not renewed for this long is free. */
const leaseDuration = 15_000;
const pollInterval = 5_000;
/** The pause after a failed read. Nothing is reconciled before the first read has succeeded. */
const tryAgain = 1_000;

export interface CoreosOperatorOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly namespace: string;
  /** Name of the Endpoints object that is its lock: `etcd-operator`. */
  readonly lockName: string;
}

/**
 * Detects whether a CoreOS etcd-operator is running. Its lock is an Endpoints object and ours is a Lease, so the two do not exclude each
 * other. While the CoreOS operator renews its lock, nothing is reconciled. Once the lock has not changed for its lease duration, or does
 * not exist, it is not checked again.
 */
export class CoreosOperator implements Runnable {
  readonly name: string;
  readonly needsLeader = false;
  readonly #options: CoreosOperatorOptions;
  #holder: string | undefined;
  #lastRecord = '';
  #lastChange = 0;

  constructor(options: CoreosOperatorOptions) {
    this.#options = options;
    this.name = `watch of the CoreOS ${options.lockName}`;
  }

  /** The holder of the old lock, for messages; undefined if there is none. */
  get holder(): string | undefined {
    return this.#holder;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    while (!signal.aborted && (await this.check(signal))) {
      log.warn('The CoreOS etcd-operator still holds its lock; reconciliation is suspended until it is scaled to 0', {
        holder: this.#holder,
      });
      await clock.sleep(pollInterval, signal).catch(() => undefined);
    }
    // A runnable must run until it is stopped, although this one has nothing more to do.
    await whenAborted(signal);
  }

  /** Checks the lock once; true while it may be held. Its age is measured with the local clock, because the two clocks may differ. */
  async check(signal: AbortSignal): Promise<boolean> {
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

/** The record of a lock; empty if it is not held. */
export function lockRecord(lock: KubeObject | undefined): string {
  const record = lock?.metadata?.annotations?.[lockAnnotation] ?? '';
  return recordHolder(record) === '' ? '' : record;
}

/** The holder in a record, which is JSON; empty if the lock was released. */
export function recordHolder(record: string): string {
  // Usually there is no record, and throwing an error would cost more than everything else here.
  if (record === '') return '';
  try {
    const value: unknown = JSON.parse(record);
    const holder = typeof value === 'object' && value !== null && 'holderIdentity' in value ? value.holderIdentity : '';
    return typeof holder === 'string' ? holder : '';
  } catch {
    return '';
  }
}
