// SPDX-License-Identifier: Apache-2.0
import {
  type Client,
  type Event,
  events,
  isKubeError,
  type KubeObject,
  type ResourceClient,
  untilAborted,
} from '@operator-parts/kube';
import type { Clock, Logger, Random, Timer } from '@operator-parts/ports';
import type { CounterSeries } from '../metrics/counter.ts';
import { MetricRegistry } from '../metrics/registry.ts';
import { Waiters } from '../queue/waiters.ts';
import { Backoff } from '../reflector/backoff.ts';
import { clipped, longestMessage } from './combined-messages.ts';
import { type EventObject, type EventType, referenceTo } from './event.ts';
import { EventCorrelator } from './event-correlator.ts';

/** Records events about an object, which `kubectl describe` shows. */
export interface EventRecorder {
  /**
   * Records an event for `object`. Returns at once: the event is written in the background, in the order of the calls.
   * Many similar events are combined. Events are dropped if the API server does not accept them in time.
   */
  record(object: KubeObject, type: EventType, reason: string, message: string): void;
}

export interface EventWriterOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: MetricRegistry;
  /** The component that records: the controller's name. */
  readonly component: string;
  /** The instance of the component. @default the component */
  readonly instance?: string;
  /** How many events may wait to be written; further ones are dropped. @default 1000 */
  readonly backlog?: number;
  /** How long events are still written after the signal to stop, in milliseconds. @default 2000 */
  readonly gracePeriod?: number;
}

const triesPerEvent = 5;
/** How often the combined event of an object is updated, in milliseconds. */
const repeatsEvery = 30_000;

interface Pending {
  readonly event: EventObject;
  /** When to write the event, by the monotonic clock. */
  readonly due: number;
}

/** Queues events and writes them one at a time. Run by the manager. */
export class EventWriter implements EventRecorder {
  readonly name: string;
  readonly needsLeader = false;
  readonly #options: EventWriterOptions;
  readonly #events: ResourceClient<Event>;
  readonly #correlator: EventCorrelator;
  readonly #pending = new Map<string, Pending>();
  /** When each event was last written, by the monotonic clock. */
  readonly #written = new Map<string, number>();
  readonly #news = new Waiters<void>();
  readonly #idle = new Waiters<void>();
  #writing = false;
  #isHurried = false;
  readonly #backoff: Backoff;
  readonly #dropped: CounterSeries;

  constructor(options: EventWriterOptions) {
    const { component, instance = component } = options;
    this.name = `events of ${component}`;
    this.#options = options;
    this.#events = options.client.resource(events);
    this.#correlator = new EventCorrelator({ clock: options.clock, component, instance });
    this.#backoff = new Backoff({ clock: options.clock, random: options.random, limit: 10_000 });
    this.#dropped = (options.metrics ?? new MetricRegistry())
      .counter({
        name: 'controller_runtime_events_dropped_total',
        help: 'Events that could not be written',
        labels: ['component'],
      })
      .labels(component);
  }

  record(object: KubeObject, type: EventType, reason: string, message: string): void {
    const text = clipped(message, longestMessage);
    const { event, isPrompt } = this.#correlator.correlate({
      object: referenceTo(object),
      type,
      reason,
      message: text,
    });
    const id = idOf(event);
    if (!this.#pending.has(id) && this.#pending.size >= (this.#options.backlog ?? 1000)) {
      this.#dropped.inc();
      return;
    }
    const written = this.#written.get(id);
    const due = isPrompt || written === undefined ? 0 : written + repeatsEvery;
    // A newer count replaces an update that still waits.
    this.#pending.set(id, { event, due });
    this.#news.releaseAll();
  }

  /** Writes events until `signal` is aborted, then the remaining ones for a short time. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, gracePeriod = 2000 } = this.#options;
    const end = new AbortController();
    let grace: Timer | undefined;
    const stopping = () => {
      grace = clock.schedule(gracePeriod, () => end.abort());
    };
    signal.addEventListener('abort', stopping, { once: true });
    if (signal.aborted) stopping();
    while (!end.signal.aborted) {
      if (signal.aborted) this.#isHurried = true;
      const event = this.#take();
      this.#writing = event !== undefined;
      if (event) {
        await this.#write(event, end.signal);
        continue;
      }
      this.#isHurried = false;
      this.#idle.releaseAll();
      if (signal.aborted) break;
      await this.#waitForNews(signal);
    }
    grace?.cancel();
    this.#idle.releaseAll();
    this.#dropped.inc(this.#pending.size);
  }

  /** Resolves when everything is written, or after the grace period. */
  async flush(): Promise<void> {
    if (!this.#writing && this.#pending.size === 0) return;
    const { clock, gracePeriod = 2000 } = this.#options;
    const end = new AbortController();
    const grace = clock.schedule(gracePeriod, () => end.abort());
    this.#isHurried = true;
    this.#news.releaseAll();
    await this.#idle.wait(undefined, end.signal);
    grace.cancel();
  }

  /** Takes the first event that is due. */
  #take(): EventObject | undefined {
    const now = this.#options.clock.monotonic();
    for (const [id, { event, due }] of this.#pending) {
      if (due > now && !this.#isHurried) continue;
      this.#pending.delete(id);
      return event;
    }
    return undefined;
  }

  /** Waits until an event is recorded or becomes due. */
  async #waitForNews(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const dues = [...this.#pending.values()].map(({ due }) => due);
    if (dues.length === 0) return this.#news.wait(undefined, signal);
    const wake = clock.schedule(Math.max(0, Math.min(...dues) - clock.monotonic()), () => this.#news.releaseAll());
    await this.#news.wait(undefined, signal);
    wake.cancel();
  }

  async #write(event: EventObject, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await untilAborted(this.#send(event, signal), signal);
        return;
      } catch (error) {
        // Without the lease, the events of this process are not needed.
        if (isKubeError(error, 'Aborted')) {
          this.#dropped.inc();
          log.debug('event was dropped', { reason: event.reason, object: describe(event), error });
          return;
        }
        if (attempt >= triesPerEvent || isRefusal(error)) {
          this.#dropped.inc();
          log.warn('event could not be written', { reason: event.reason, object: describe(event), error });
          return;
        }
        await clock.sleep(this.#backoff.next(), signal).catch(() => undefined);
      }
    }
    this.#dropped.inc();
  }

  async #send(event: EventObject, signal: AbortSignal): Promise<void> {
    const { name = '', namespace = '' } = event.metadata ?? {};
    const { type, count, lastTimestamp, message } = event;
    const id = idOf(event);
    try {
      if (this.#written.has(id)) {
        await this.#events.patch(
          { namespace, name },
          { type: 'merge', patch: { type, count, lastTimestamp, message } },
          { signal },
        );
        this.#remember(id);
      } else {
        await this.#events.create(event, { signal });
        this.#remember(id);
      }
    } catch (error) {
      // Either an earlier request, whose answer was lost, has created the event, or the event has expired: try the
      // other verb.
      if (isKubeError(error, 'AlreadyExists')) this.#remember(id);
      else if (isKubeError(error, 'NotFound') && this.#written.delete(id)) return this.#send(event, signal);
      else throw error;
    }
  }

  #remember(id: string): void {
    if (this.#written.size >= 4096) this.#written.clear();
    this.#written.set(id, this.#options.clock.monotonic());
  }
}

function idOf(event: EventObject): string {
  return `${event.metadata?.namespace}/${event.metadata?.name}`;
}

function describe({ involvedObject: { kind, namespace, name } }: EventObject): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
}

/** True if a retry would not help. */
function isRefusal(error: unknown): boolean {
  return isKubeError(error, 'Forbidden', 'Invalid', 'BadRequest', 'NotFound', 'RequestEntityTooLarge');
}
