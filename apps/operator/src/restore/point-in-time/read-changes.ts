// SPDX-License-Identifier: Apache-2.0
import type { GrantedLease, TransactionChanges } from '@operator-parts/etcd';
import { ChangesError } from '../../changes/changes-error.ts';
import type { RevisionChanges } from '../../changes/revision-changes.ts';
import type { DecodedSegment } from '../../changes/segment.ts';
import type { SegmentBefore, SegmentHeader } from '../../changes/segment-header.ts';
import type { SegmentName } from '../../changes/segment-names.ts';
import { readSegment } from '../../changes/stored-segments.ts';
import { RestoreError } from '../restore-error.ts';
import type { Source } from '../source/inspected-source.ts';

/** What to read: change segments, the snapshot that they follow, and where to stop. */
export interface ChangesAsked {
  readonly segments: readonly SegmentName[];
  /** All stored segments: two operators may have recorded the same revisions. */
  readonly listed: readonly SegmentName[];
  readonly snapshot: { readonly revision: bigint; readonly sha256: string };
  /** The last revision to read, or its time. */
  readonly until: { readonly revision: bigint } | { readonly time: number };
}

/**
 * The TTL of a lease that had already expired when the recorder asked for it. Such a lease expired soon after its keys were written, so
 * this TTL is short.
 */
const secondsOfLostLease = 60;

/**
 * Reads the changes of consecutive segments, and verifies each segment to its end. Each call of `changes` reads them from the store again.
 */
export class StoredChanges {
  readonly #source: Source;
  readonly #asked: ChangesAsked;
  readonly #signal: AbortSignal;
  readonly #leases = new Map<bigint, number>();
  readonly #attached = new Set<bigint>();
  #last: { readonly revision: bigint; readonly at: number } | undefined;

  constructor(source: Source, asked: ChangesAsked, signal: AbortSignal) {
    this.#source = source;
    this.#asked = asked;
    this.#signal = signal;
  }

  /** The last change that was returned; undefined before the first. */
  get last(): { readonly revision: bigint; readonly at: number } | undefined {
    return this.#last;
  }

  /** The leases that keys of the returned changes are attached to. A segment also lists leases of later changes, which are left out. */
  leases(): readonly GrantedLease[] {
    const attached = [...this.#leases].filter(([id]) => this.#attached.has(id));
    return attached.map(([id, seconds]) => ({ id, ttl: BigInt(seconds || secondsOfLostLease) }));
  }

  async *changes(): AsyncGenerator<TransactionChanges, void, undefined> {
    const { segments, snapshot } = this.#asked;
    let before: { readonly name: SegmentName; readonly history: string } | undefined;
    let given = snapshot.revision;
    for await (const [name, segment] of openedAhead(segments, (one) => this.#open(one))) {
      await this.#checkFollows(name, segment.header.before, before);
      for (const [id, seconds] of segment.header.leases) this.#leases.set(id, seconds);
      given = yield* this.#wantedOf(segment, given);
      before = { name, history: segment.history() };
    }
  }

  /** The segment is read to its end even if its last changes are not wanted: only then is it known to be valid. */
  async *#wantedOf(
    { header, revisions }: DecodedSegment,
    before: bigint,
  ): AsyncGenerator<TransactionChanges, bigint, undefined> {
    const { until } = this.#asked;
    let given = before;
    for await (const change of revisions) {
      if (change.revision <= given) continue;
      const isWanted = 'time' in until ? change.at <= until.time : change.revision <= until.revision;
      if (isWanted) {
        given = change.revision;
        this.#note(change);
        yield change;
      } else checkTime(until, change.revision, given, header);
    }
    return given;
  }

  #note({ revision, at, events }: RevisionChanges): void {
    for (const { type, kv } of events) if (type === 'put' && kv.lease !== 0n) this.#attached.add(kv.lease);
    this.#last = { revision, at };
  }

  #open(name: SegmentName): Promise<DecodedSegment> {
    const { store, keys } = this.#source;
    return readSegment(store, name, keys, this.#signal);
  }

  async #checkFollows(
    name: SegmentName,
    follows: SegmentBefore,
    before: { readonly name: SegmentName; readonly history: string } | undefined,
  ): Promise<void> {
    const { snapshot, listed } = this.#asked;
    if (follows.kind === 'snapshot') {
      if (follows.revision !== snapshot.revision || follows.sha256 === snapshot.sha256) return;
      throw broken(name, `the snapshot of revision ${snapshot.revision}`);
    }
    if (!before || name.from <= snapshot.revision + 1n || before.history === follows.history) return;
    // If two operators recorded the changes, this segment may follow another segment that ends with the same revision.
    for (const other of listed) {
      if (other.to !== name.from - 1n || other.clusterId !== name.clusterId || other.key === before.name.key) continue;
      const segment = await this.#open(other);
      for await (const _ of segment.revisions);
      if (segment.history() === follows.history) return;
    }
    throw broken(name, before.name.key);
  }
}

/**
 * How many segments are opened at the same time. A segment holds only a few seconds of changes, so there are many, and most of the time is
 * spent waiting for the first byte of each.
 */
const ahead = 8;

/** Opens segments in their order; while one is read, the next ones are already being opened. Segments that are not read are closed. */
async function* openedAhead(
  names: readonly SegmentName[],
  open: (name: SegmentName) => Promise<DecodedSegment>,
): AsyncGenerator<readonly [SegmentName, DecodedSegment], void, undefined> {
  const opened: Promise<DecodedSegment>[] = [];
  let begun = 0;
  try {
    for (const name of names) {
      for (; begun < names.length && opened.length < ahead; begun++) opened.push(begin(open, names[begun] ?? name));
      const segment = await opened.shift();
      if (segment) yield [name, segment];
    }
  } finally {
    for (const one of opened) await one.then((segment) => segment.close()).catch(() => undefined);
  }
}

/** Begins to open a segment. An error is thrown only when the segment is to be read. */
function begin(open: (name: SegmentName) => Promise<DecodedSegment>, name: SegmentName): Promise<DecodedSegment> {
  const opening = open(name);
  opening.catch(() => undefined);
  return opening;
}

/**
 * Throws if it is unknown whether changes were made before the requested time: after an interruption, changes are recorded later than they
 * were made.
 */
function checkTime(until: ChangesAsked['until'], next: bigint, given: bigint, { late }: SegmentHeader): void {
  if (!('time' in until) || next !== given + 1n || !late || next > late.until || until.time < late.since) return;
  const time = new Date(until.time).toISOString();
  const which = `revisions ${next} to ${late.until} were written while the continuous backup was interrupted, so the times of these revisions are unknown`;
  const message = `${time} cannot be restored: ${which}. Set spec.pointInTime.revision instead; the last revision with a known time is ${given}`;
  throw new RestoreError('SourceRefused', message);
}

function broken({ key }: SegmentName, before: string): ChangesError {
  return new ChangesError(
    'OutOfOrder',
    `the continuous backup is interrupted: change segment ${key} was not recorded after ${before}, but after other changes`,
  );
}
