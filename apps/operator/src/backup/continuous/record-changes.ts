// SPDX-License-Identifier: Apache-2.0
import { EtcdError, encodeEvents, formatId, isEtcdError, type MemberClient } from '@operator-parts/etcd';
import type { Clock, Logger } from '@operator-parts/ports';
import { ChangesError } from '../../changes/changes-error.ts';
import type { RevisionChanges } from '../../changes/revision-changes.ts';
import type { SegmentBefore, UnrecordedRevisions } from '../../changes/segment-header.ts';
import { segmentKey } from '../../changes/segment-names.ts';
import { encryptBody, newFileCipher } from '../../storage/encryption/encrypt-body.ts';
import { putVerified } from '../../storage/put-verified.ts';
import { BackupError } from '../backup-fault.ts';
import { type Collected, Collector } from './collector.ts';
import type { HistoryPlace } from './find-position.ts';
import { RevisionGatherer } from './gather-revisions.ts';
import { LeaseTimes } from './lease-times.ts';
import { PointTracker, type RecoveryPoint } from './recovery-point.ts';

/** The position to start recording from. */
export interface RecordingStart {
  /** Everything up to this revision is stored. */
  readonly revision: bigint;
  readonly before: SegmentBefore;
  /** The changes of that revision, if known. */
  readonly last?: RevisionChanges | undefined;
  /** Changes that were made before the watch starts. */
  readonly late?: UnrecordedRevisions | undefined;
}

export interface RecordPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly client: MemberClient;
  readonly place: HistoryPlace;
  /** Called each time the recovery point may have moved: every few seconds, also while nothing changes. */
  readonly onPoint: (point: RecoveryPoint) => void;
  /** Cleans up from time to time while changes are recorded. Does not reject. */
  readonly tidy: (signal: AbortSignal) => Promise<void>;
}

/** The longest time between receiving a change and storing it, in milliseconds. */
const segmentInterval = 3_000;

const tidyInterval = 10 * 60_000;

/** A watch counts as broken if it delivers nothing for this long while the revision of the cluster grows. */
const longestLag = 30_000;

/** Some changes can no longer be read from the cluster. Recording can continue only from a new snapshot that contains them. */
export class UnrecordedError extends Error {
  override readonly name = 'UnrecordedError';
  /** The first revision that cannot be recorded. */
  readonly revision: bigint;

  constructor(revision: bigint, message: string, options?: ErrorOptions) {
    super(message, options);
    this.revision = revision;
  }
}

const allKeys = Uint8Array.of(0);

/**
 * Watches all keys of a member and stores the changes in change segments (one object in the store for each), until the signal aborts or an
 * error occurs. One segment is stored while the next is collected. If the store is slower than the cluster, the watch waits.
 */
export async function recordChanges(start: RecordingStart, ports: RecordPorts, signal: AbortSignal): Promise<never> {
  using stop = new Stop(signal);
  await using _tidying = new Tidying(ports, stop.signal);
  const collector = new Collector(start.revision + 1n);
  // An error of `read` is thrown only after the changes that were collected before it are stored.
  const reading = read(start, collector, ports, stop.signal).catch((error: unknown) => error);
  const writer = new SegmentWriter(start, ports, stop.signal);
  const lag = new Lag(ports.clock);
  while (true) {
    const ended = reading.then((error) => ({ error }));
    const failure = await Promise.race([ports.clock.sleep(segmentInterval, stop.signal), collector.full, ended]);
    const at = ports.clock.now();
    const current = await currentRevision(ports, stop.signal);
    const collected = collector.take();
    if (collected) await writer.store(collected);
    writer.sighted(current, at);
    if (failure) throw failure.error;
    lag.check(collector.revision, current);
  }
}

/** Ends the watch when the recording ends for any reason. */
class Stop implements Disposable {
  readonly #own = new AbortController();
  readonly signal: AbortSignal;

  constructor(outer: AbortSignal) {
    this.signal = AbortSignal.any([outer, this.#own.signal]);
  }

  [Symbol.dispose](): void {
    this.#own.abort(new Error('recording has ended'));
  }
}

/** Cleans up at intervals. Disposing waits until a cleanup in progress has ended. */
class Tidying implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #task: Promise<void>;

  constructor(ports: Pick<RecordPorts, 'clock' | 'tidy'>, outer: AbortSignal) {
    this.#task = this.#run(ports, AbortSignal.any([outer, this.#stop.signal]));
  }

  async #run({ clock, tidy }: Pick<RecordPorts, 'clock' | 'tidy'>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await tidy(signal);
      await clock.sleep(tidyInterval, signal).catch(() => undefined);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('recording has ended'));
    await this.#task;
  }
}

/** Never resolves; rejects with the error that ended the watch. */
async function read(
  { revision, last }: RecordingStart,
  collector: Collector,
  { client, clock }: RecordPorts,
  signal: AbortSignal,
): Promise<never> {
  const gatherer = new RevisionGatherer();
  // The watch starts one revision earlier. Compaction to a revision may also remove changes of that revision itself, but etcd reports it
  // only to a watch that starts before that revision.
  const asked = { key: allKeys, rangeEnd: allKeys, startRevision: revision, fragment: true, progressNotify: true };
  try {
    for await (const batch of client.watchBatches({ ...asked, signal })) {
      const whole = gatherer.push(batch, clock.now());
      const again = whole.find((one) => one.revision === revision);
      if (again && last && !isWithin(again, last)) throw otherHistory(revision);
      for (const changes of whole.filter((one) => one.revision > revision)) await collector.add(changes);
    }
  } catch (error) {
    if (isEtcdError(error, 'Compacted') || error instanceof ChangesError)
      throw new UnrecordedError(collector.revision + 1n, error.message, { cause: error });
    throw error;
  }
  throw new EtcdError('Unavailable', 'the member ended the watch');
}

/**
 * True if all events that the member still has of a revision are among the recorded events. The member may have fewer events, because
 * compaction removes deletions.
 */
function isWithin(left: RevisionChanges, recorded: RevisionChanges): boolean {
  const known = new Set(recorded.events.map((one) => Buffer.from(encodeEvents([one])).toString('latin1')));
  return left.events.every((one) => known.has(Buffer.from(encodeEvents([one])).toString('latin1')));
}

function otherHistory(revision: bigint): UnrecordedError {
  const message = `the changes of revision ${revision} differ from the changes that the continuous backup recorded, because the cluster has lost writes since then`;
  return new UnrecordedError(revision + 1n, message);
}

/** A linearizable read, which a member without quorum cannot answer. */
async function currentRevision({ client, place }: RecordPorts, signal: AbortSignal): Promise<bigint> {
  const { header } = await client.kv.range({ key: allKeys, countOnly: true }, { signal });
  const clusterId = formatId(header.clusterId);
  if (clusterId === place.owner.clusterId) return header.revision;
  const message = `the endpoint now belongs to cluster ${clusterId}, but cluster ${place.owner.clusterId} was expected`;
  throw new BackupError('passing', 'DifferentClusters', message);
}

class SegmentWriter {
  readonly #ports: RecordPorts;
  readonly #signal: AbortSignal;
  readonly #leases: LeaseTimes;
  readonly #tracker: PointTracker;
  readonly #late: UnrecordedRevisions | undefined;
  #before: SegmentBefore;

  constructor({ revision, before, late }: RecordingStart, ports: RecordPorts, signal: AbortSignal) {
    this.#ports = ports;
    this.#signal = signal;
    this.#before = before;
    this.#late = late;
    this.#leases = new LeaseTimes(ports.client.lease);
    this.#tracker = new PointTracker(revision);
  }

  async store({ builder, leases }: Collected): Promise<void> {
    const { place, log } = this.#ports;
    const { store, base, keys, owner } = place;
    const signal = this.#signal;
    const times = await this.#leases.ask(leases, signal);
    const late = this.#late && builder.from <= this.#late.until ? this.#late : undefined;
    const sealed = builder.seal({ clusterId: owner.clusterId, before: this.#before, leases: times, late });
    const key = segmentKey(base, sealed.header);
    const body = inPieces(sealed.pieces);
    await putVerified(store, key, keys ? encryptBody(body, await newFileCipher(keys, signal)) : body, { signal });
    log.debug('segment stored', { key, bytes: sealed.bytes });
    this.#before = { kind: 'segment', history: sealed.history };
    this.#tracker.stored(sealed.header.to, sealed.header.lastAt);
  }

  sighted(revision: bigint, at: number): void {
    this.#tracker.sighted(revision, at);
    if (this.#tracker.point) this.#ports.onPoint(this.#tracker.point);
  }
}

async function* inPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

/** Detects a watch that is open but delivers nothing. */
class Lag {
  readonly #clock: Clock;
  #revision = -1n;
  #since = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  check(collected: bigint, current: bigint): void {
    const now = this.#clock.monotonic();
    if (collected >= current || collected !== this.#revision) this.#since = now;
    this.#revision = collected;
    if (now - this.#since <= longestLag) return;
    const message = `the watch has received no changes for ${longestLag / 1000} s: the watch is at revision ${collected}, but the cluster is at revision ${current}`;
    throw new BackupError('passing', 'EtcdUnavailable', message);
  }
}
