// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, ListOptions, Reader, SelectOptions, WatchEvent, WatchOptions } from '@operator-parts/kube';
import type { Clock, LogFields, Logger, Random } from '@operator-parts/ports';
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
import { ServerDataCheck } from './server-data-check.ts';
import { Watchdog } from './watchdog.ts';

export interface ReflectorOptions<T extends KubeObject> {
  /** Its name in metrics and log lines: `pods`, `deployments.apps`. */
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
   * A watch that sends nothing for this long, not even a bookmark (the API server sends one a minute), counts as dead;
   * in milliseconds.
   * @default 90000
   */
  readonly idleLimit?: number;
  /** Called after each change of state. */
  readonly onState?: (state: ReflectorState) => void;
}

/** A complete view that was accepted. */
interface View {
  readonly version: string;
  /** The server's data was replaced since the previous view. */
  readonly replaced: boolean;
}

/** After a watch that ended sooner than this, in milliseconds, there is a pause. */
const briefWatch = 5000;
/**
 * While a kind is not installed, pauses stay short, in milliseconds, so that work begins soon after the installation.
 */
const longestMissingPause = 5000;
/** Pauses between the confirmations of an older view stay short too: nothing is reconciled in the meantime. */
const longestDoubtPause = 5000;
/**
 * A watch that was disconnected for longer than this, in milliseconds, is not resumed. Meanwhile the storage of the API
 * server may have been restored from a backup and written to, until its version passed the version that this reflector
 * holds: then versions do not show the restore. The fastest restore that was measured took 1.1 s, including the start
 * of the API server. The shortest pause after a failure is longer than this limit, so only a watch that is reopened at
 * once is resumed.
 */
const longestGap = 700;
const longestPauses: Partial<Record<ProblemKind, number>> = { missing: longestMissingPause, older: longestDoubtPause };

/**
 * Keeps a sink up to date with the API server: lists, then watches, while it runs. A state machine (see
 * `ReflectorState`) that no failure of server or network ends.
 *
 * Guarantees:
 * - the sink gets every change, or a complete view in its place. It never gets older data than before, unless the
 *   server's data was replaced (restored from a backup, lost or swapped), which it is told;
 * - a watch continues exactly at the version of the list, or of the last event or bookmark. Before that, the server's
 *   version is checked: a server that has not reached the requested version would send nothing;
 * - only a watch that is reopened at once is continued: after a pause a complete view is read instead, because the
 *   server's history may have changed;
 * - a dead connection is noticed within `idleLimit`; after a failure there is always a growing pause (0.8 s to 30 s).
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #metrics: ReflectorMetrics;
  readonly #events: CounterSeries;
  readonly #backoff: Backoff;
  readonly #idleLimit: number;
  #state: ReflectorState;
  readonly #serverData = new ServerDataCheck();
  #interrupt: AbortController | undefined;
  #wantsList = false;
  /** True if another cache found that the data was replaced: then the next complete view shows the new data. */
  #isReread = false;
  #version = '';
  #lastContact = Number.NEGATIVE_INFINITY;
  #lastConfirmation = Number.NEGATIVE_INFINITY;
  #problem: Problem | undefined;
  #hasBookmarks = false;
  /** True after a watch became idle: bookmarks are not expected until one arrives. */
  #hasIdled = false;
  /** True if a watch was opened since the last complete view: the next watch resumes it. */
  #hasFollowed = false;
  /**
   * Monotonic time at which the last watch is known to have been open; undefined while one is open, or if there was
   * none.
   */
  #brokenOff: number | undefined;
  /** True if the complete view is read after a gap. */
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

  /** The problem it is recovering from; cleared when a complete view or a change has arrived since. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** Monotonic time at which the API server last sent anything. */
  get lastContact(): number {
    return this.#lastContact;
  }

  /**
   * Monotonic time at which the server last showed that the view is complete: by a list, an event, a bookmark, or its
   * version.
   */
  get lastConfirmation(): number {
    return this.#lastConfirmation;
  }

  /** True while a watch is open and the server sent something within the idle limit. */
  get live(): boolean {
    if (this.#state.phase !== 'watch' || this.#wantsList) return false;
    return this.#options.clock.monotonic() - this.#lastContact <= this.#idleLimit;
  }

  /** Runs until `signal` is aborted, then resolves. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = () => this.#interrupt?.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    while (!signal.aborted) {
      this.#interrupt = new AbortController();
      const outcome = await this.#perform(this.#interrupt.signal);
      if (signal.aborted) break;
      if (this.#wantsList) this.#restart();
      else this.#advance(outcome);
    }
    signal.removeEventListener('abort', stop);
  }

  /** Lists again because the data was replaced. Until then the view is in doubt (`older`). */
  relist(reason: string): void {
    this.#wantsList = true;
    this.#isReread = true;
    this.#problem = { kind: 'older', error: new ReflectorFault('older', reason) };
    this.#interrupt?.abort();
  }

  #hasGap(): boolean {
    return this.#brokenOff !== undefined && this.#options.clock.monotonic() - this.#brokenOff > longestGap;
  }

  #restart(): void {
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

  /** Reads all pages, or everything in one answer. */
  async #list(mode: Exclude<ListMode, 'stream'>, signal: AbortSignal): Promise<Outcome> {
    const { clock, sink } = this.#options;
    const begun = clock.monotonic();
    // A page may take long: the server reads and encodes it before it sends the first byte.
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
    // Version '' requests the most recent state, which is never older than anything seen before.
    if (mode === 'pages') return reader.pages({ ...common, limit: pageSize ?? 500 });
    return inOnePage(reader.list(common));
  }

  /** Ends a request that becomes idle. Bytes count as activity, because a large object may take long on a slow link. */
  #watchedBy(watchdog: Watchdog): Pick<ListOptions, 'signal' | 'onBytes'> {
    return { signal: watchdog.signal, onBytes: () => this.#hear(watchdog) };
  }

  /** A watch, or a streaming list that continues as a watch on the same connection. */
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
      if (streaming) sink.init(this.#serverData.doubted || this.#isReread || this.#isAfterGap);
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
   * Asks for the server's version before a watch is resumed. A server that has lost its data does not report an error
   * for a version that it has not reached: it sends nothing.
   */
  async #confirm(watchdog: Watchdog): Promise<void> {
    const { reader, select } = this.#options;
    const { metadata } = await reader.list({ ...select, ...this.#watchedBy(watchdog), limit: 1, resourceVersion: '' });
    this.#touch(watchdog);
    this.#assertNotOlder(metadata.resourceVersion ?? '', 'the API server has an older version');
  }

  #assertNotOlder(version: string, what: string): void {
    if (version === '' || !this.#serverData.isOlder(version)) return;
    throw new ReflectorFault('older', `${what} (${version}) than it sent before (${this.#serverData.newest})`);
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
   * The duration of a watch. Random, so that watches do not all end at the same time. If the server sends no bookmarks,
   * it is so short that the end of the watch shows that the server is alive before the idle limit.
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
    // The objects of an interrupted first view were delivered already, so the next view must not be older.
    if (this.#version === '') this.#serverData.saw(version);
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
    this.#serverData.saw(version);
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
    const { newest } = this.#serverData;
    const verdict = this.#serverData.judge(version);
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
    // The server itself ended the watch, so it was alive.
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
    // Data that cannot be parsed has still arrived: the watch was open until now.
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
