// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { formatTime, type ObjectReference } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import { BoundedMap } from './bounded-map.ts';
import { type CombinedMessages, describeCombined, nothingCombined, withMessage } from './combined-messages.ts';
import type { EventObject, EventType } from './event.ts';

/** An occurrence, before it is counted and merged. */
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
  /**
   * How many events one object may have at once; one more is allowed every five minutes. Further events are combined.
   * @default 25
   */
  readonly burst?: number;
  /**
   * How many different messages with the same reason and object are written in ten minutes; further messages become one
   * event.
   * @default 10
   */
  readonly similar?: number;
  /** How many objects, reasons and events are remembered. @default 4096 */
  readonly memory?: number;
}

/** An event to write: new if its count is 1, otherwise an update with a higher count. */
export interface Correlated {
  readonly event: EventObject;
  /** False if its object has so many events that updating the count can wait. */
  readonly isPrompt: boolean;
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

/** An event that was created, with its messages if it combines several. */
interface Made {
  event: EventObject | undefined;
  since: number;
  combined: CombinedMessages;
}

/**
 * Turns occurrences into as few events as possible: a repeated message increases the count, many similar messages
 * become one event, and so do all messages above the limit of an object. Nothing is dropped silently: a combined event
 * contains the messages. Deterministic: names follow from content and time, and sort in order of creation.
 */
export class EventCorrelator {
  readonly #options: CorrelatorOptions;
  readonly #similarLimit: number;
  readonly #buckets: BoundedMap<string, SpamBucket>;
  readonly #similar: BoundedMap<string, Similar>;
  readonly #events: BoundedMap<string, Made>;
  #lastStamp = 0;

  constructor(options: CorrelatorOptions) {
    const memory = options.memory ?? 4096;
    this.#options = options;
    this.#similarLimit = options.similar ?? 10;
    this.#buckets = new BoundedMap(memory);
    this.#similar = new BoundedMap(memory);
    this.#events = new BoundedMap(memory);
  }

  correlate(occurrence: Occurrence): Correlated {
    // Without the object's resourceVersion: the same message about a newer version is a repetition.
    const { kind, namespace, name, uid } = occurrence.object;
    const subject = JSON.stringify([kind, namespace, name, uid]);
    const group = JSON.stringify([subject, occurrence.type, occurrence.reason]);
    const one = JSON.stringify([group, occurrence.message]);
    const isPrompt = this.#allows(subject);
    if (this.#isOneOfMany(group, occurrence.message)) return { event: this.#combine(group, occurrence), isPrompt };
    const isNew = this.#made(one).event === undefined;
    if (isNew && !isPrompt) return { event: this.#combine(subject, ofAnyReason(occurrence)), isPrompt };
    return { event: this.#keep(one, occurrence, occurrence.message), isPrompt };
  }

  /** Adds an occurrence to the combined event of its group. A new combined event begins after ten minutes. */
  #combine(key: string, occurrence: Occurrence): EventObject {
    const made = this.#made(key);
    const now = this.#options.clock.monotonic();
    if (now - made.since > similarWindow)
      Object.assign(made, { event: undefined, since: now, combined: nothingCombined });
    made.combined = withMessage(made.combined, occurrence.message);
    return this.#keep(key, occurrence, describeCombined(made.combined));
  }

  #made(key: string): Made {
    const since = this.#options.clock.monotonic();
    return this.#events.use(key, () => ({ event: undefined, since, combined: nothingCombined }));
  }

  #keep(key: string, occurrence: Occurrence, message: string): EventObject {
    const made = this.#made(key);
    const lastTimestamp = formatTime(this.#options.clock.now());
    const event = made.event
      ? {
          ...made.event,
          type: graver(made.event.type, occurrence.type),
          count: made.event.count + 1,
          lastTimestamp,
          message,
        }
      : this.#newEvent(occurrence, message, lastTimestamp);
    made.event = event;
    return event;
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
    const digest = createHash('sha256').update(
      JSON.stringify([object.uid, component, instance, type, reason, message]),
    );
    const name = `${(object.name ?? 'unknown').slice(0, 230)}.${this.#stamp()}${digest.digest('hex').slice(0, 6)}`;
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

  /** Event times are whole seconds, so only the names give the order within a second. */
  #stamp(): string {
    this.#lastStamp = Math.max(this.#lastStamp + 1, Math.floor(this.#options.clock.now()) * 256);
    return this.#lastStamp.toString(16).padStart(13, '0');
  }
}

/** The combined event of an object with too many events names the reason in its message. */
function ofAnyReason({ object, type, reason, message }: Occurrence): Occurrence {
  return { object, type, reason: 'EventsCombined', message: `${reason}: ${message}` };
}

function graver(before: EventType, now: EventType): EventType {
  return before === 'Warning' ? before : now;
}
