// SPDX-License-Identifier: Apache-2.0
import { type ExtendedSnapshot, extendSnapshot } from '@operator-parts/etcd';
import { type BackupName, isOfName, parsePeriodicKey, seriesPrefix } from '../../backup/plan/backup-names.ts';
import type { ChainGoal } from '../../changes/chain.ts';
import { listSegments } from '../../changes/stored-segments.ts';
import { openBackup } from '../../storage/encryption/backup-reader.ts';
import type { OpenedStorage } from '../../storage/open-store.ts';
import { rangedReader } from '../../storage/ranged-reader.ts';
import { pathBeside } from '../../storage/storage-place.ts';
import { Measure } from '../delivery/measure.ts';
import { RestoreError } from '../restore-error.ts';
import {
  type DatabaseFacts,
  type InspectedSource,
  inspectStored,
  readDatabaseFacts,
  type Source,
} from '../source/inspected-source.ts';
import { judge, type Verdict } from '../source/judge.ts';
import { chooseReplay, type FullSnapshot } from './choose-replay.ts';
import { StoredChanges } from './read-changes.ts';

/** The data of a point in time, built from a full snapshot and the changes after it. */
export interface PointSource {
  /** Facts that the full snapshot contains about itself. */
  readonly facts: DatabaseFacts;
  /** The path of the full snapshot, as a spec would name it. */
  readonly snapshot: string;
  readonly segments: number;
  /** The revision and time that were reached: the last change at or before the point. */
  readonly revision: bigint;
  readonly time: number;
  readonly bytes: number;
  /** The verdict on the full snapshot, once all of it has been read. */
  readonly verdict: () => Verdict | undefined;
  /** The bytes of a snapshot as it would have been taken at that point. Rejects before the end if the full snapshot is damaged. */
  all(): AsyncIterable<Uint8Array>;
}

/**
 * Finds what is stored for a point in time and reads all changes up to it, but only a few pages of the full snapshot. If the point cannot
 * be reached, rejects with a `RestoreError` that says what is stored.
 *
 * @param snapshot the path of the full snapshot that was chosen before; undefined to choose one
 */
export async function openPoint(
  opened: OpenedStorage,
  goal: ChainGoal,
  signal: AbortSignal,
  snapshot?: string,
): Promise<PointSource> {
  const { store, place } = opened;
  const listed = await listSegments(store, place.key, signal);
  const snapshots = await fullSnapshots(opened, goal, signal, snapshot);
  const wanted = snapshots.filter(({ key }) => snapshot === undefined || pathBeside(place, key) === snapshot);
  if (snapshot !== undefined && wanted.length === 0)
    throw refused(`the full backup ${snapshot}, which this restore chose before, is no longer in the backup store`);
  const replay = chooseReplay(wanted, listed, goal);
  if ('problem' in replay) throw refused(replay.problem);
  const source = await openFull(opened, replay.snapshot.key, signal);
  const inspected = await inspectStored(source, signal);
  const { manifest } = inspected;
  if (!manifest) throw refused(`the manifest of backup ${source.place.path} was deleted or is no longer valid`);
  const facts = await readDatabaseFacts(source, signal);
  if (BigInt(facts.revision) !== replay.snapshot.revision)
    throw refused(`backup ${source.place.path} does not match its manifest: the revision differs`);
  const asked = {
    ...replay,
    listed,
    until: goal,
    snapshot: { revision: replay.snapshot.revision, sha256: manifest.sha256 },
  };
  const changes = new StoredChanges({ store, place, keys: opened.keys }, asked, signal);
  const full = new FullBody(source, inspected, signal);
  const made = await extended(source, full, changes, signal);
  const { revision, at } = changes.last ?? { revision: replay.snapshot.revision, at: replay.snapshot.time };
  return {
    facts,
    snapshot: source.place.path,
    segments: replay.segments.length,
    revision,
    time: at,
    bytes: made?.bytes ?? inspected.info.bytes,
    verdict: () => full.verdict,
    all: () => made?.all() ?? full.all(),
  };
}

/** The snapshot with all changes up to the point. Undefined if there are no changes between both: then the snapshot itself is used. */
async function extended(
  { store, place }: Source,
  full: FullBody,
  changes: StoredChanges,
  signal: AbortSignal,
): Promise<ExtendedSnapshot | undefined> {
  for await (const _ of changes.changes()) break;
  if (!changes.last) return undefined;
  const readAt = rangedReader(store, place.key, signal);
  return extendSnapshot({ readAt, bytes: full.bytes, all: () => full.all() }, changes);
}

/** The full snapshot, measured while it is read and judged at its end. */
class FullBody {
  readonly #source: Source;
  readonly #inspected: InspectedSource;
  readonly #signal: AbortSignal;
  verdict: Verdict | undefined;

  constructor(source: Source, inspected: InspectedSource, signal: AbortSignal) {
    this.#source = source;
    this.#inspected = inspected;
    this.#signal = signal;
  }

  get bytes(): number {
    return this.#inspected.info.bytes;
  }

  async *all(): AsyncGenerator<Uint8Array> {
    const { store, place } = this.#source;
    const measure = new Measure();
    for await (const piece of store.get(place.key, undefined, { signal: this.#signal })) {
      measure.update(piece);
      yield piece;
    }
    const verdict = judge(measure.result(), { manifest: this.#inspected.manifest, acceptWithoutHash: false });
    if (verdict.verified !== 'Manifest') throw refused(`backup ${place.path} does not match its manifest`);
    this.verdict = verdict;
  }
}

async function openFull({ store, place, keys }: OpenedStorage, key: string, signal: AbortSignal): Promise<Source> {
  const reader = await openBackup(store, { key, keys }, signal);
  return { store: reader, keys, place: { ...place, key, path: pathBeside(place, key) } };
}

/**
 * The highest number of full snapshots at or before the goal that are inspected. Two valid snapshots are needed: the newest, and the one
 * before it.
 */
const looks = 10;

/**
 * The full snapshots of the series that matter for the goal: the last ones at or before the goal, and the first one after it. Snapshots
 * without a valid manifest are left out.
 */
async function fullSnapshots(
  opened: OpenedStorage,
  goal: ChainGoal,
  signal: AbortSignal,
  snapshot: string | undefined,
): Promise<readonly FullSnapshot[]> {
  const names = await seriesOf(opened, signal);
  const isBefore = (name: BackupName) => ('time' in goal ? name.time <= goal.time : name.revision <= goal.revision);
  const isMeant = ({ key }: BackupName) => snapshot === undefined || pathBeside(opened.place, key) === snapshot;
  const before = names.filter((name) => isBefore(name) && isMeant(name)).slice(-looks);
  const after = names.filter((name) => !isBefore(name)).slice(0, 1);
  const found: FullSnapshot[] = [];
  for (const { key, time } of [...before, ...after]) {
    const place = { ...opened.place, key };
    const manifest = (await inspectStored({ ...opened, place, keys: opened.keys }, signal)).manifest;
    if (manifest && isOfName(opened.place.key, key, manifest.time))
      found.push({ key, time, clusterId: manifest.clusterId, revision: BigInt(manifest.revision) });
  }
  return found;
}

async function seriesOf({ store, place }: OpenedStorage, signal: AbortSignal) {
  const names: BackupName[] = [];
  for await (const { key } of store.list(seriesPrefix(place.key), { signal })) {
    const name = parsePeriodicKey(place.key, key);
    if (name) names.push(name);
  }
  return names.toSorted((a, b) => a.time - b.time);
}

function refused(message: string): RestoreError {
  return new RestoreError('SourceRefused', message);
}
