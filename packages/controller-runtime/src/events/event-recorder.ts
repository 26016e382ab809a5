// SPDX-License-Identifier: Apache-2.0
import {
  type Client,
  type Event,
  events,
  isKubeError,
  type KubeObject,
  type ResourceClient,
} from '@etcd-operator/kube';
import type { Clock, Logger, Random, Timer } from '@etcd-operator/ports';
import type { CounterSeries } from '../metrics/counter.ts';
import { MetricRegistry } from '../metrics/registry.ts';
import { Waiters } from '../queue/waiters.ts';
import { Backoff } from '../reflector/backoff.ts';
import { type EventObject, type EventType, referenceTo } from './event.ts';
import { EventCorrelator } from './event-correlator.ts';

/** Tells people what a controller did to an object: `kubectl describe` shows it. */
export interface EventRecorder {
  /**
   * Records that something happened to `object`. Returns at once; it is written in the background, merged with its like, and
   * dropped rather than waited for if the API server does not take it.
   */
  record(object: KubeObject, type: EventType, reason: string, message: string): void;
}

export interface EventWriterOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics?: MetricRegistry;
  /** Who records: the controller's name. */
  readonly component: string;
  /** Which instance of it. @default the component */
  readonly instance?: string;
  /** How many events may wait to be written; more are dropped. @default 1000 */
  readonly backlog?: number;
  /** How long events are still written after the signal to stop, in milliseconds. @default 2000 */
  readonly gracePeriod?: number;
}

const longestMessage = 1024;
const triesPerEvent = 5;

/** The recorder, and what writes its events one after the other. Run by the manager. */
export class EventWriter implements EventRecorder {
  readonly name: string;
  readonly needsLeader = false;
  readonly #options: EventWriterOptions;
  readonly #events: ResourceClient<Event>;
  readonly #correlator: EventCorrelator;
  readonly #pending = new Map<string, EventObject>();
  readonly #written = new Set<string>();
  readonly #news = new Waiters<void>();
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
      .counter({ name: 'controller_runtime_events_dropped_total', help: 'Events not written', labels: ['component'] })
      .labels(component);
  }

  record(object: KubeObject, type: EventType, reason: string, message: string): void {
    const text = message.length > longestMessage ? `${message.slice(0, longestMessage - 3)}...` : message;
    const event = this.#correlator.correlate({ object: referenceTo(object), type, reason, message: text });
    const id = event && idOf(event);
    if (id === undefined || (!this.#pending.has(id) && this.#pending.size >= (this.#options.backlog ?? 1000))) {
      this.#dropped.inc();
      return;
    }
    // A higher count of an event that waits already replaces it.
    this.#pending.set(id, event as EventObject);
    this.#news.releaseAll();
  }

  /** Writes what is recorded until `signal` is aborted, then for a short while what is left. */
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
      const event = this.#take();
      if (event) await this.#write(event, end.signal);
      else if (signal.aborted) break;
      else await this.#news.wait(undefined, signal);
    }
    grace?.cancel();
    this.#dropped.inc(this.#pending.size);
  }

  #take(): EventObject | undefined {
    const first = this.#pending.entries().next();
    if (first.done) return undefined;
    this.#pending.delete(first.value[0]);
    return first.value[1];
  }

  async #write(event: EventObject, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await this.#send(event, signal);
        return;
      } catch (error) {
        if (attempt >= triesPerEvent || isRefusal(error)) {
          this.#dropped.inc();
          log.warn('event could not be written', { reason: event.reason, object: describe(event), error });
          return;
        }
        await clock.sleep(this.#backoff.next(), signal).catch(() => undefined);
      }
    }
  }

  async #send(event: EventObject, signal: AbortSignal): Promise<void> {
    const { name = '', namespace = '' } = event.metadata ?? {};
    const { count, lastTimestamp, message } = event;
    const id = idOf(event);
    try {
      if (this.#written.has(id)) {
        await this.#events.patch(
          { namespace, name },
          { type: 'merge', patch: { count, lastTimestamp, message } },
          { signal },
        );
      } else {
        await this.#events.create(event, { signal });
        this.#remember(id);
      }
    } catch (error) {
      // Created by an answer that was lost, or expired since: the other way works.
      if (isKubeError(error, 'AlreadyExists')) this.#remember(id);
      else if (isKubeError(error, 'NotFound') && this.#written.delete(id)) return this.#send(event, signal);
      else throw error;
    }
  }

  #remember(id: string): void {
    if (this.#written.size >= 4096) this.#written.clear();
    this.#written.add(id);
  }
}

function idOf(event: EventObject): string {
  return `${event.metadata?.namespace}/${event.metadata?.name}`;
}

function describe({ involvedObject: { kind, namespace, name } }: EventObject): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
}

/** Asking again would not help. */
function isRefusal(error: unknown): boolean {
  return isKubeError(error, 'Forbidden', 'Invalid', 'BadRequest', 'NotFound', 'RequestEntityTooLarge');
}
