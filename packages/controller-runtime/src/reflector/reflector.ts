// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, ListOptions, Reader, SelectOptions, WatchEvent, WatchOptions } from '@etcd-operator/kube';
import type { Clock, LogFields, Logger, Random } from '@etcd-operator/ports';
import type { CounterSeries } from '../metrics/counter.ts';
import { MetricRegistry } from '../metrics/registry.ts';
import { Backoff } from './backoff.ts';
import { type Problem, type ProblemKind, problemOf, ReflectorFault } from './problem.ts';
import { type ReflectorMetrics, reflectorMetrics } from './reflector-metrics.ts';
import type { ReflectorSink } from './reflector-sink.ts';
import {
  initialState,
  type ListMode,
  listing,
  type Outcome,
  type ReflectorState,
  transition,
} from './reflector-state.ts';
import { versionOrder } from './resource-version.ts';
import { Watchdog } from './watchdog.ts';
import { WorldCheck } from './world-check.ts';

export interface ReflectorOptions<T extends KubeObject> {
  /** What its metrics and log lines call it: `pods`, `deployments.apps`. */
  readonly name: string;
  readonly reader: Pick<Reader<T>, 'list' | 'pages' | 'watch'>;
  /** @default everything, in all namespaces */
  readonly select?: Omit<SelectOptions, 'signal'>;
  readonly sink: ReflectorSink<T>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly log: Logger;
  readonly metrics?: MetricRegistry;
  /** Tries streaming lists (`sendInitialEvents`) first. @default true */
  readonly streaming?: boolean;
  /** Objects a page of a paged list. @default 500 */
  readonly pageSize?: number;
  /**
   * A watch on which nothing came for this long, not even a bookmark (the API server sends one a minute), is taken for dead;
   * in milliseconds. @default 90000
   */
  readonly idleLimit?: number;
  /** Called at each change of state, after it. */
  readonly onState?: (state: ReflectorState) => void;
}

/** A complete view that was accepted. */
interface View {
  readonly version: string;
  /** It is of another world than what was seen before. */
  readonly replaced: boolean;
}

/** A watch that ends sooner than this, in milliseconds, is followed by a pause. */
const briefWatch = 5000;
/** Pauses while a kind is not installed stay short, in milliseconds, so that work begins soon after it is. */
const longestMissingPause = 5000;
/** So do those between the confirmations of an older view: nothing is done while the world is in doubt. */
const longestDoubtPause = 5000;
/**
 * A watch that was not heard of for longer than this, in milliseconds, is not resumed. Storage can have been restored meanwhile and
 * written to past the version held, so that no version gives it away. That was seen to take 1.1 s, with the API server's start;
 * the shortest pause after a failure is longer than this, so only what is opened again at once is resumed.
 */
const longestGap = 700;
const longestPauses: Partial<Record<ProblemKind, number>> = { missing: longestMissingPause, older: longestDoubtPause };

/**
 * Keeps a sink up to date with the API server: lists, then watches, for as long as it runs. A state machine (see
 * `ReflectorState`); nothing the server or the network does ends it.
 *
 * Guarantees:
 * - the sink hears of every change or of a complete view in its place, never of something older than what it has heard of, unless
 *   the server's world was replaced, which it is told;
 * - a watch continues from exactly the version of the list or of the last event or bookmark before it, after a look whether the
 *   server has come that far: one that has not would keep silent for ever;
 * - only a watch that is opened again at once is continued: after a pause a complete view is read in its place, for the server's
 *   history may be another one;
 * - a dead connection is noticed within `idleLimit`; no request follows a failure without a growing pause (0.8 s to 30 s).
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #metrics: ReflectorMetrics;
  readonly #events: CounterSeries;
  readonly #backoff: Backoff;
  readonly #idleLimit: number;
  #state: ReflectorState;
  readonly #world = new WorldCheck();
  #interrupt: AbortController | undefined;
  #wantsList = false;
  /** The next complete view is of a replaced world, as another cache found. */
  #isReread = false;
  #version = '';
  #lastContact = Number.NEGATIVE_INFINITY;
  #lastConfirmation = Number.NEGATIVE_INFINITY;
  #problem: Problem | undefined;
  #hasBookmarks = false;
  /** A watch went silent: until bookmarks come, they are not counted on. */
  #hasIdled = false;
  /** A watch was opened since the last complete view: the next one resumes it. */
  #hasFollowed = false;
  /** Monotonic time up to which the last watch is known to have been open; undefined while one is, or there was none. */
  #brokenOff: number | undefined;
  /** The complete view that is read follows a gap. */
  #isAfterGap = false;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#metrics = reflectorMetrics(options.metrics ?? new MetricRegistry());
    this.#events = this.#metrics.events.labels(options.name);
    this.#backoff = new Backoff(options);
    this.#idleLimit = options.idleLimit ?? 90_000;
    this.#state = initialState(options.streaming ?? true);
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /** What it is recovering from; cleared when a complete view or a change has arrived since. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** Monotonic time at which the API server was last heard of. */
  get lastContact(): number {
    return this.#lastContact;
  }

  /** Monotonic time at which the server last showed that the view is complete: by a list, an event, a bookmark, or its version. */
  get lastConfirmation(): number {
    return this.#lastConfirmation;
  }

  /** True while a watch is open and the server was heard of within the idle limit. */
  get live(): boolean {
    if (this.#state.phase !== 'watch' || this.#wantsList) return false;
    return this.#options.clock.monotonic() - this.#lastContact <= this.#idleLimit;
  }

  /** Works until `signal` is aborted; then resolves. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = () => this.#interrupt?.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    while (!signal.aborted) {
      this.#interrupt = new AbortController();
      const outcome = await this.#perform(this.#interrupt.signal);
      if (signal.aborted) break;
      if (this.#wantsList) this.#startAnew();
      else this.#advance(outcome);
    }
    signal.removeEventListener('abort', stop);
  }

  /** Reads a complete view again: what is held belongs to a world that is no more. Until then it is in doubt (`older`). */
  relist(reason: string): void {
    this.#wantsList = true;
    this.#isReread = true;
    this.#problem = { kind: 'older', error: new ReflectorFault('older', reason) };
    this.#interrupt?.abort();
  }

  #hasGap(): boolean {
    return this.#brokenOff !== undefined && this.#options.clock.monotonic() - this.#brokenOff > longestGap;
  }

  #startAnew(): void {
    this.#wantsList = false;
    const { phase } = this.#state;
    const streams = phase === 'pause' ? this.#state.then.streams : this.#state.streams;
    this.#state = listing(streams);
    this.#options.onState?.(this.#state);
  }

  async #perform(signal: AbortSignal): Promise<Outcome> {
    const state = this.#state;
    switch (state.phase) {
      case 'list':
        return state.mode === 'stream' ? this.#follow(signal) : this.#list(state.mode, signal);
      case 'watch':
        return this.#follow(signal);
      case 'pause':
        return this.#rest(state.problem, signal);
    }
  }

  #report(message: string, problem: Problem, fields: LogFields = {}): void {
    const { log, name } = this.#options;
    log.warn(message, { resource: name, problem: problem.kind, error: problem.error, ...fields });
  }

  #advance(outcome: Outcome): void {
    this.#state = transition(this.#state, outcome);
    if (outcome.type === 'failed' || (outcome.type === 'ended' && this.#state.phase === 'pause')) {
      this.#problem = outcome.problem;
      this.#metrics.problems.labels(this.#options.name, outcome.problem.kind).inc();
      if (this.#state.phase !== 'pause') this.#report('reflector failed; listing again', outcome.problem);
    }
    this.#options.onState?.(this.#state);
  }

  /** Reads all pages, or everything at once. */
  async #list(mode: Exclude<ListMode, 'stream'>, signal: AbortSignal): Promise<Outcome> {
    const { clock, sink } = this.#options;
    const begun = clock.monotonic();
    // A page may take its time: the server reads and encodes it before the first byte comes.
    using watchdog = new Watchdog(clock, 2 * this.#idleLimit, signal);
    let view: View | undefined;
    try {
      this.#metrics.lists.labels(this.#options.name).inc();
      for await (const page of this.#pages(mode, watchdog)) {
        this.#touch(watchdog);
        if (view === undefined) {
          view = this.#acceptable(page.metadata.resourceVersion);
          sink.init(view.replaced || this.#isReread || this.#isAfterGap);
        }
        for (const object of page.items) sink.initApply(object);
      }
      this.#hasFollowed = false;
      return this.#listed(view, begun);
    } catch (error) {
      return this.#failed(watchdog.bite ?? error, begun);
    }
  }

  #pages(mode: Exclude<ListMode, 'stream'>, watchdog: Watchdog) {
    const { reader, select, pageSize } = this.#options;
    const common = { ...select, ...this.#watchedBy(watchdog), resourceVersion: '' };
    // Version '' asks for the most recent state, which is never older than anything seen before.
    if (mode === 'pages') return reader.pages({ ...common, limit: pageSize ?? 500 });
    return inOnePage(reader.list(common));
  }

  /** What makes a request end when it goes silent: bytes count, for a large object may take its time on a slow link. */
  #watchedBy(watchdog: Watchdog): Pick<ListOptions, 'signal' | 'onBytes'> {
    return { signal: watchdog.signal, onBytes: () => this.#hear(watchdog) };
  }

  /** A watch, or a streaming list that goes on as a watch on the same connection. */
  async #follow(signal: AbortSignal): Promise<Outcome> {
    const { clock, reader, sink } = this.#options;
    const streaming = this.#state.phase === 'list';
    let begun = clock.monotonic();
    const again = !streaming && this.#hasFollowed;
    this.#hasFollowed = true;
    using watchdog = new Watchdog(clock, this.#idleLimit, signal);
    try {
      if (again) await this.#confirm(watchdog);
      if (again && this.#hasGap()) {
        this.#isAfterGap = true;
        this.#wantsList = true;
        return { type: 'rested' };
      }
      this.#brokenOff = undefined;
      this.#metrics[streaming ? 'lists' : 'watches'].labels(this.#options.name).inc();
      if (streaming) sink.init(this.#world.doubted || this.#isReread || this.#isAfterGap);
      for await (const event of reader.watch({ ...this.#watchOptions(), ...this.#watchedBy(watchdog) })) {
        this.#touch(watchdog);
        if (this.#state.phase === 'watch') {
          this.#onChange(event);
          this.#lastConfirmation = this.#lastContact;
        } else if (this.#onInitialEvent(event, begun)) begun = this.#lastContact;
      }
      if (this.#state.phase !== 'watch') {
        throw new ReflectorFault('truncated', 'the streaming list ended before its end marker');
      }
      return this.#ended(begun);
    } catch (error) {
      return this.#failed(watchdog.bite ?? error, begun);
    }
  }

  /**
   * Asks how far the server has come before a watch is resumed. A server that has lost its data and is asked for changes after a
   * version that it has not reached says nothing at all, not even that.
   */
  async #confirm(watchdog: Watchdog): Promise<void> {
    const { reader, select } = this.#options;
    const { metadata } = await reader.list({ ...select, ...this.#watchedBy(watchdog), limit: 1, resourceVersion: '' });
    this.#touch(watchdog);
    this.#assertNotOlder(metadata.resourceVersion ?? '', 'the API server has an older version');
  }

  #assertNotOlder(version: string, what: string): void {
    if (version === '' || !this.#world.isOlder(version)) return;
    throw new ReflectorFault('older', `${what} (${version}) than it sent before (${this.#world.newest})`);
  }

  #watchOptions(): WatchOptions {
    const { select } = this.#options;
    const common = { ...select, allowWatchBookmarks: true };
    if (this.#state.phase === 'watch') {
      return { ...common, timeoutSeconds: this.#watchSeconds(this.#hasBookmarks), resourceVersion: this.#state.from };
    }
    const initial = { sendInitialEvents: true, resourceVersion: '', resourceVersionMatch: 'NotOlderThan' } as const;
    return { ...common, ...initial, timeoutSeconds: this.#watchSeconds(this.#hasBookmarks || !this.#hasIdled) };
  }

  /**
   * How long a watch is to last. Never the same, so that watches do not all come back at once. Where the server sends no
   * bookmarks, short enough for its end to show that the server is there before silence is taken for a dead connection.
   */
  #watchSeconds(isLong: boolean): number {
    const chance = this.#options.random.next();
    if (isLong) return 300 + Math.floor(chance * 300);
    return Math.max(1, Math.floor((this.#idleLimit * (0.6 + 0.3 * chance)) / 1000));
  }

  #onChange(event: WatchEvent<T>): void {
    if (event.type === 'BOOKMARK') {
      this.#hasBookmarks = true;
      this.#assertNotOlder(event.resourceVersion, 'a bookmark is older');
      this.#progress(event.resourceVersion);
      return;
    }
    const version = this.#versionOf(event.object);
    this.#assertNotOlder(version, 'an event is older');
    if (event.type === 'DELETED') this.#options.sink.delete(event.object);
    else this.#options.sink.apply(event.object);
    this.#progress(version);
  }

  /** Returns true if the event ended the streaming list. */
  #onInitialEvent(event: WatchEvent<T>, begun: number): boolean {
    if (event.type === 'BOOKMARK') {
      // A server that does not know streaming lists ignores the request for one and sends ordinary bookmarks.
      if (!event.initialEventsEnd) throw new ReflectorFault('truncated', 'a bookmark came before the end marker');
      this.#advance(this.#listed(this.#acceptable(event.resourceVersion), begun));
      return true;
    }
    const version = this.#versionOf(event.object);
    // A first view that breaks off was told already; what follows must not be older than that.
    if (this.#version === '') this.#world.saw(version);
    if (event.type === 'DELETED') this.#options.sink.delete(event.object);
    else this.#options.sink.initApply(event.object);
    return false;
  }

  #listed(view: View | undefined, begun: number): Outcome {
    if (view === undefined) throw new ReflectorFault('corrupt', 'the list had no page');
    this.#version = view.version;
    this.#lastConfirmation = this.#lastContact;
    this.#problem = undefined;
    this.#metrics.listDuration.labels(this.#options.name).observe((this.#lastContact - begun) / 1000);
    const replaced = view.replaced || this.#isReread;
    this.#isReread = false;
    this.#isAfterGap = false;
    this.#brokenOff = undefined;
    this.#options.sink.initDone(view.version, replaced);
    return { type: 'listed', resourceVersion: view.version };
  }

  #progress(version: string): void {
    if (version === '' || !isNewer(version, this.#version)) return;
    this.#version = version;
    this.#world.saw(version);
    this.#options.sink.progress(version);
  }

  #versionOf(object: T): string {
    const { resourceVersion, name } = object.metadata ?? {};
    if (!resourceVersion || !name) throw new ReflectorFault('corrupt', 'an event has no name or no resourceVersion');
    this.#events.inc();
    return resourceVersion;
  }

  #acceptable(version: string | undefined): View {
    if (!version) throw new ReflectorFault('corrupt', 'the list has no resourceVersion');
    const { newest } = this.#world;
    const verdict = this.#world.judge(version);
    if (verdict === 'older') {
      throw new ReflectorFault('older', `the API server sent an older list (${version}) than before (${newest})`);
    }
    return { version, replaced: verdict === 'replaced' };
  }

  #hear(watchdog: Watchdog): void {
    this.#lastContact = this.#options.clock.monotonic();
    watchdog.touch(this.#lastContact);
  }

  #touch(watchdog: Watchdog): void {
    this.#hear(watchdog);
    if (this.#problem !== undefined && this.#state.phase === 'watch' && !this.#wantsList) this.#problem = undefined;
  }

  #ended(begun: number): Outcome {
    // The server was there to end it.
    this.#lastContact = this.#options.clock.monotonic();
    this.#brokenOff = this.#lastContact;
    const brief = this.#lastContact - begun < briefWatch;
    if (brief) this.#metrics.shortWatches.labels(this.#options.name).inc();
    const problem: Problem = { kind: 'other', error: new Error('the API server ended the watch immediately') };
    return { type: 'ended', resourceVersion: this.#version, brief, problem };
  }

  #failed(error: unknown, begun: number): Outcome {
    const problem = problemOf(error, this.#state.phase === 'list' && this.#state.mode === 'stream');
    const now = this.#options.clock.monotonic();
    // What could not be understood did arrive.
    if (this.#state.phase === 'watch') this.#brokenOff ??= problem.kind === 'corrupt' ? now : this.#lastContact;
    if (problem.kind === 'idle') this.#hasIdled = true;
    const brief = now - begun < briefWatch;
    return { type: 'failed', resourceVersion: this.#version, brief, problem };
  }

  async #rest(problem: Problem, signal: AbortSignal): Promise<Outcome> {
    const { clock } = this.#options;
    const pause = this.#backoff.next(longestPauses[problem.kind]);
    const length = Math.max(pause, problem.retryAfter ?? 0);
    this.#report('reflector pauses', problem, { milliseconds: Math.round(length) });
    await clock.sleep(length, signal).catch(() => undefined);
    return { type: 'rested' };
  }
}

function isNewer(version: string, than: string): boolean {
  const order = versionOrder(version, than);
  return order === undefined || order > 0;
}

async function* inOnePage<L>(list: Promise<L>): AsyncGenerator<L> {
  yield await list;
}
