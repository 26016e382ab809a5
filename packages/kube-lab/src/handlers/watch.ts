// SPDX-License-Identifier: Apache-2.0
import { apiVersionOf } from '@operator-parts/kube';
import type { Timer } from '@operator-parts/ports';
import { ConversionNeeded } from '../crd/conversion.ts';
import { ConnectionLost } from '../faults/connection-lost.ts';
import type { ReplicaView } from '../faults/replica-view.ts';
import { asObject } from '../json/json.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { type Selection, selectionOf } from '../selectors/selection.ts';
import { type ApiError, expired } from '../server/api-error.ts';
import type { ApiResponse } from '../server/api-request.ts';
import { ByteQueue } from '../server/byte-queue.ts';
import type { Call } from '../server/core.ts';
import { type Change, StoredObject } from '../storage/stored-object.ts';
import { type ListOptions, readListOptions } from './list-options.ts';
import { type Form, objectText, wantedForm } from './representation.ts';

const bookmarkEvery = 60_000;
/** The last bookmark comes this long before the server ends the watch. */
const lastBookmark = 2_000;

/** GET with `watch=true`: JSON lines until the client leaves or the time is up. */
export function watchObjects(call: Call): ApiResponse {
  const options = readListOptions(call, true);
  const watch = new Watch(call, selectionOf(call), options);
  watch.start();
  return { status: 200, headers: { 'content-type': 'application/json' }, body: watch.queue };
}

class Watch {
  readonly queue: ByteQueue;
  readonly #call: Call;
  readonly #selection: Selection;
  readonly #options: ListOptions;
  readonly #view: ReplicaView | undefined;
  readonly #form: Form;
  #hasSent = false;
  readonly #timers = new Set<Timer>();
  readonly #stops = new Set<() => void>();
  /** Changes that the replica has not seen yet. */
  #pending: Change[] = [];
  /** Everything up to this version has been sent. */
  #seen = 0;

  constructor(call: Call, selection: Selection, options: ListOptions) {
    this.#call = call;
    this.#selection = selection;
    this.#options = options;
    this.#view = call.core.faults.replicaFor(call.target);
    this.#form = wantedForm(call).form;
    const { signal } = call.request;
    const onAbort = () => this.queue.fail(signal.reason);
    this.queue = new ByteQueue(() => {
      for (const stop of this.#stops) stop();
      for (const timer of this.#timers) timer.cancel();
      signal.removeEventListener('abort', onAbort);
    });
    signal.addEventListener('abort', onAbort, { once: true });
  }

  #isOpen = false;
  /** True while past events are sent. They are sent completely, however slowly the client reads. */
  #replays = true;

  start(): void {
    const { store, faults } = this.#call.core;
    const { version, sendInitialEvents: initial, bookmarks } = this.#options;
    const fromNow = version === undefined || version === 0;
    const shown = this.#view?.revision ?? store.revision;
    if (initial ?? fromNow) {
      this.#sendPresent(shown);
      this.#seen = shown;
      if (initial && bookmarks) this.#bookmark({ 'k8s.io/initial-events-end': 'true' });
    } else {
      this.#seen = fromNow ? shown : version;
    }
    if (this.#seen < store.compacted) {
      // The real server answers 200 and reports this error inside the stream.
      this.#line('ERROR', JSON.stringify(tooOld(this.#seen, store.compacted).toStatus()));
      this.queue.end();
      return;
    }
    this.#isOpen = true;
    this.#stops.add(store.watch(this.#call.resource.collection, this.#seen, (change) => this.#onChange(change)));
    this.#replays = false;
    if (this.#view) this.#stops.add(this.#view.onAdvance(() => this.#catchUp()));
    const handle = {
      target: this.#call.target,
      end: () => this.queue.end(),
      reset: () => this.queue.fail(new ConnectionLost('the watch was cut by a fault of the lab')),
    };
    this.#stops.add(faults.addWatch(handle));
    this.#startTimers();
  }

  #startTimers(): void {
    const { clock, random } = this.#call.core;
    const { timeoutSeconds: asked = 0, bookmarks } = this.#options;
    const timeout = asked > 0 ? asked * 1000 : 1_800_000 * (1 + random.next());
    const end = clock.monotonic() + timeout;
    this.#timer(timeout, () => this.queue.end());
    if (!bookmarks) return;
    const next = () => {
      const left = end - clock.monotonic() - lastBookmark;
      if (left <= 0) return;
      this.#timer(Math.min(bookmarkEvery, left), () => {
        this.#bookmark();
        next();
      });
    };
    next();
  }

  #timer(milliseconds: number, run: () => void): void {
    const timer: Timer = this.#call.core.clock.schedule(
      milliseconds,
      () => {
        this.#timers.delete(timer);
        run();
      },
      { background: true },
    );
    this.#timers.add(timer);
  }

  #sendPresent(revision: number): void {
    const { core, resource } = this.#call;
    for (const stored of core.store.listAt(resource.collection, revision, this.#selection.prefix)) {
      if (this.#selection.matches(stored.object)) this.#object('ADDED', stored);
    }
  }

  #onChange(change: Change): void {
    if (this.#view && (this.#pending.length > 0 || change.revision > this.#view.revision)) this.#pending.push(change);
    else this.#send(change);
  }

  #catchUp(): void {
    const shown = this.#view?.revision ?? Number.POSITIVE_INFINITY;
    this.#replays = true;
    while (this.#pending[0] && this.#pending[0].revision <= shown) this.#send(this.#pending.shift() as Change);
    this.#replays = false;
  }

  #send({ revision, type, current, previous }: Change): void {
    this.#seen = revision;
    if (!current.key.startsWith(this.#selection.prefix)) return;
    const { matches } = this.#selection;
    const now = type !== 'DELETED' && matches(current.object);
    const before = previous !== undefined && matches(previous.object);
    if (now) this.#object(before ? 'MODIFIED' : 'ADDED', current);
    else if (before) this.#gone(type === 'DELETED' ? current : previous, revision);
  }

  /**
   * An object that no longer matches the selection is sent in its last matching state, with the version of the change.
   */
  #gone(last: StoredObject, revision: number): void {
    if (last.revision === revision) this.#object('DELETED', last);
    else this.#object('DELETED', atRevision(last, revision));
  }

  #object(type: string, stored: StoredObject): void {
    // Only the first table of a watch contains the columns.
    const isFirst = !this.#hasSent;
    this.#hasSent = true;
    try {
      this.#line(type, objectText(this.#call, this.#form, stored, isFirst));
    } catch (error) {
      // This version was stored before the conversion webhook existed. The watch ends, so that the client lists first.
      if (!(error instanceof ConversionNeeded) || !this.#isOpen) throw error;
      this.queue.end();
    }
  }

  #bookmark(annotations?: Readonly<Record<string, string>>): void {
    // A write returns only after its change was delivered to the watches. So everything up to this version has been
    // sent.
    this.#seen = this.#view?.revision ?? this.#call.core.store.revision;
    this.#line('BOOKMARK', bookmarkText(this.#call.resource, this.#seen, annotations));
  }

  #line(type: string, text: string): void {
    const line = `{"type":"${type}","object":${text}}\n`;
    const { stalled, copies, delay } = this.#call.core.faults.treatmentOf(this.#call.target);
    if (stalled) return;
    const lines = copies === 2 ? line + line : line;
    if (delay > 0) this.#timer(delay, () => this.queue.push(lines));
    else if (this.#replays) this.queue.preload(lines);
    else this.queue.push(lines);
  }
}

function atRevision({ key, object }: StoredObject, revision: number): StoredObject {
  const metadata = { ...asObject(object['metadata']), resourceVersion: String(revision) };
  return new StoredObject(key, revision, { ...object, metadata });
}

function bookmarkText(
  resource: ServedResource,
  revision: number,
  annotations?: Readonly<Record<string, string>>,
): string {
  const { metadata, kind: _kind, apiVersion: _apiVersion, ...rest } = resource.codec.empty();
  return JSON.stringify({
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    metadata: { ...asObject(metadata), resourceVersion: String(revision), ...(annotations ? { annotations } : {}) },
    ...rest,
  });
}

function tooOld(version: number, compacted: number): ApiError {
  return expired(`too old resource version: ${version} (${compacted})`);
}
