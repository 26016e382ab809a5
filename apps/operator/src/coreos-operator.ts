// SPDX-License-Identifier: Apache-2.0
import type { Runnable } from '@operator-parts/controller-runtime';
import { type Client, endpoints, isKubeError, type KubeObject, whenAborted } from '@operator-parts/kube';
import type { Clock, Logger } from '@operator-parts/ports';

/** The annotation with the leader election record of CoreOS etcd-operator. */
const lockAnnotation = 'control-plane.alpha.kubernetes.io/leader';
/** The lease duration of the CoreOS etcd-operator: a lock that is not renewed for this long is free. */
const leaseDuration = 15_000;
const pollInterval = 5_000;
/** The pause after a failed read. Nothing is reconciled before the first read has succeeded. */
const tryAgain = 1_000;

export interface CoreosOperatorOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly namespace: string;
  /** Name of the Endpoints object that is the lock of the CoreOS operator, for example `etcd-operator`. */
  readonly lockName: string;
}

/**
 * Detects whether a CoreOS etcd-operator is running. Its lock is an Endpoints object and ours is a Lease, so neither lock keeps the other
 * operator from running. While the CoreOS operator renews its lock, nothing is reconciled. Once the lock has not changed for its lease
 * duration, or does not exist, the lock is not checked again.
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

  /** The holder of the CoreOS operator's lock, for messages; undefined if the lock is free. */
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

  /**
   * Checks the lock once; true while it may be held. The age of the lock is measured with the local clock, because the CoreOS operator's
   * clock may differ.
   */
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

  /** Reads the lock, again and again until the API server answers. Until then `holder` does not change. */
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
  // Usually there is no record. Then the error of `JSON.parse` would take more time than everything else in this function.
  if (record === '') return '';
  try {
    const value: unknown = JSON.parse(record);
    const holder = typeof value === 'object' && value !== null && 'holderIdentity' in value ? value.holderIdentity : '';
    return typeof holder === 'string' ? holder : '';
  } catch {
    return '';
  }
}
