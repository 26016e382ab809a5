// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { formatTime, type ObjectReference } from '@etcd-operator/kube';
import type { Clock } from '@etcd-operator/ports';
import { BoundedMap } from './bounded-map.ts';
import type { EventObject, EventType } from './event.ts';

/** What happened, before it is counted and merged. */
export interface Occurrence {
  readonly object: ObjectReference;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

export interface CorrelatorOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly component: string;
  readonly instance: string;
  /** So many events of one object at once, then one every five minutes. @default 25 */
  readonly burst?: number;
  /** So many different messages of one reason and object in ten minutes, then one event for the rest. @default 10 */
  readonly similar?: number;
  /** How many objects, reasons and events are remembered. @default 4096 */
  readonly memory?: number;
}

const refillPerSecond = 1 / 300;
const similarWindow = 600_000;

interface SpamBucket {
  tokens: number;
  filledAt: number;
}

interface Similar {
  since: number;
  readonly messages: Set<string>;
}

/**
 * Turns occurrences into as few events as tell the story: the same thing again raises a count, many similar things become one
 * event, and an object that has too much to say is cut off for a while. Deterministic: names follow from content and time.
 */
export class EventCorrelator {
  readonly #options: CorrelatorOptions;
  readonly #similarLimit: number;
  readonly #buckets: BoundedMap<string, SpamBucket>;
  readonly #similar: BoundedMap<string, Similar>;
  readonly #events: BoundedMap<string, { event: EventObject | undefined }>;

  constructor(options: CorrelatorOptions) {
    const memory = options.memory ?? 4096;
    this.#options = options;
    this.#similarLimit = options.similar ?? 10;
    this.#buckets = new BoundedMap(memory);
    this.#similar = new BoundedMap(memory);
    this.#events = new BoundedMap(memory);
  }

  /** The event to write: new if its count is 1, else one written before with a higher count. `undefined`: nothing. */
  correlate(occurrence: Occurrence): EventObject | undefined {
    // The object's version is left out: the same news about a newer version is the same news.
    const { kind, namespace, name, uid } = occurrence.object;
    const subject = JSON.stringify([kind, namespace, name, uid]);
    if (!this.#allows(subject)) return undefined;
    const group = JSON.stringify([subject, occurrence.type, occurrence.reason]);
    const combined = this.#isOneOfMany(group, occurrence.message);
    const message = combined ? `(combined from similar events): ${occurrence.message}` : occurrence.message;
    const known = this.#events.use(combined ? group : JSON.stringify([group, message]), () => ({ event: undefined }));
    const now = formatTime(this.#options.clock.now());
    known.event = known.event
      ? { ...known.event, count: known.event.count + 1, lastTimestamp: now, message }
      : this.#newEvent(occurrence, message, now);
    return known.event;
  }

  #allows(subject: string): boolean {
    const { clock, burst = 25 } = this.#options;
    const now = clock.monotonic();
    const bucket = this.#buckets.use(subject, () => ({ tokens: burst, filledAt: now }));
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * refillPerSecond);
    bucket.filledAt = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }

  #isOneOfMany(group: string, message: string): boolean {
    const now = this.#options.clock.monotonic();
    const similar = this.#similar.use(group, () => ({ since: now, messages: new Set() }));
    if (now - similar.since > similarWindow) {
      similar.since = now;
      similar.messages.clear();
    }
    if (similar.messages.has(message)) return false;
    if (similar.messages.size >= this.#similarLimit) return true;
    similar.messages.add(message);
    return false;
  }

  #newEvent(occurrence: Occurrence, message: string, now: string): EventObject {
    const { component, instance } = this.#options;
    const { object, type, reason } = occurrence;
    const digest = createHash('sha256').update(JSON.stringify([object.uid, component, type, reason, message, now]));
    const name = `${(object.name ?? 'unknown').slice(0, 230)}.${digest.digest('hex').slice(0, 16)}`;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: object.namespace ?? 'default' },
      involvedObject: object,
      type,
      reason,
      message,
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    };
  }
}
