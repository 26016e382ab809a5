// SPDX-License-Identifier: Apache-2.0
import {
  type Client,
  type Event,
  events,
  isKubeError,
  type KubeObject,
  type ObjectReference,
} from '@operator-parts/kube';
import type { Clock, Random } from '@operator-parts/ports';
import { timestamp } from '../node/timestamp.ts';

/** Records an event for an object, for `kubectl describe`. Never fails and never waits. */
export interface EventRecorder {
  event(about: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string, fieldPath?: string): void;
}

interface Known {
  readonly key: { readonly namespace: string; readonly name: string };
  count: number;
}

/**
 * As in the event recorders of Kubernetes, a repeated event only increases the count, and the number of new events for
 * an object is limited.
 */
const burst = 25;
const refillMilliseconds = 300_000;
const knownLimit = 4096;

/** Writes Events through the API, one at a time; one that fails is dropped. */
export class ApiEventRecorder implements EventRecorder {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #source: { readonly component: string; readonly host?: string };
  readonly #known = new Map<string, Known>();
  readonly #buckets = new Map<string, { tokens: number; at: number }>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: {
    readonly client: Client;
    readonly clock: Clock;
    readonly random: Random;
    readonly component: string;
    readonly host?: string;
  }) {
    this.#client = options.client;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#source = { component: options.component, ...(options.host ? { host: options.host } : {}) };
  }

  event(about: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string, fieldPath?: string): void {
    const { metadata } = about;
    if (!this.#mayWrite(metadata?.uid ?? '')) return;
    const reference: ObjectReference = {
      ...(about.kind ? { kind: about.kind } : {}),
      ...(about.apiVersion ? { apiVersion: about.apiVersion } : {}),
      ...(metadata?.namespace ? { namespace: metadata.namespace } : {}),
      ...(metadata?.name ? { name: metadata.name } : {}),
      ...(metadata?.uid ? { uid: metadata.uid } : {}),
      ...(metadata?.resourceVersion ? { resourceVersion: metadata.resourceVersion } : {}),
      ...(fieldPath ? { fieldPath } : {}),
    };
    const now = timestamp(this.#clock.now());
    this.#queue = this.#queue.then(() => this.#write(reference, type, reason, message, now)).catch(() => undefined);
  }

  /** Resolves when everything recorded so far has been written or dropped. */
  async flush(): Promise<void> {
    await this.#queue;
  }

  async #write(about: ObjectReference, type: string, reason: string, message: string, now: string): Promise<void> {
    const same = [about.uid, about.fieldPath, type, reason, message].join('\n');
    const known = this.#known.get(same);
    if (known && (await this.#countUp(known, now))) return;
    const namespace = about.namespace ?? 'default';
    const name = `${about.name}.${Buffer.from(this.#random.bytes(8)).toString('hex')}`;
    const event: Event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      involvedObject: about,
      reason,
      message,
      type,
      source: this.#source,
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      eventTime: null,
      reportingComponent: this.#source.component,
      reportingInstance: this.#source.host ?? '',
    };
    await this.#client.resource(events).create(event);
    this.#remember(same, { key: { namespace, name }, count: 1 });
  }

  async #countUp(known: Known, now: string): Promise<boolean> {
    try {
      const patch = { count: known.count + 1, lastTimestamp: now };
      await this.#client.resource(events).patch(known.key, { type: 'merge', patch });
      known.count += 1;
      return true;
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return false;
      throw error;
    }
  }

  #remember(same: string, known: Known): void {
    this.#known.set(same, known);
    const oldest = this.#known.keys().next();
    if (this.#known.size > knownLimit && !oldest.done) this.#known.delete(oldest.value);
  }

  #mayWrite(uid: string): boolean {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.get(uid) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + (now - bucket.at) / refillMilliseconds);
    this.#buckets.set(uid, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    const oldest = this.#buckets.keys().next();
    if (this.#buckets.size > knownLimit && !oldest.done) this.#buckets.delete(oldest.value);
    return tokens >= 1;
  }
}
