// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@operator-parts/blob';
import { ChangesError } from '../../changes/changes-error.ts';
import type { RevisionChanges } from '../../changes/revision-changes.ts';
import type { SegmentBefore } from '../../changes/segment-header.ts';
import type { SegmentName } from '../../changes/segment-names.ts';
import { listSegments, readSegment } from '../../changes/stored-segments.ts';
import { EncryptionError } from '../../storage/encryption/encryption-error.ts';
import type { KeyProvider } from '../../storage/encryption/key-provider.ts';
import { contentManifest } from '../../storage/manifest.ts';
import { readManifest } from '../../storage/read-manifest.ts';
import { isCounted, listSeries, type SeriesOwner, sound } from '../act/stored/prune.ts';
import { isOfName } from '../plan/backup-names.ts';
import { type BaseSnapshot, type MissingChanges, positionIn } from './stream-position.ts';

/** Where the recorded changes of a cluster are stored, and the EtcdBackup that owns them. */
export interface HistoryPlace {
  readonly store: BlobStore;
  /** The key from the path of the spec. */
  readonly base: string;
  readonly keys: KeyProvider | undefined;
  readonly owner: Required<SeriesOwner>;
}

/** The position to continue recording from: everything up to `revision` is stored. */
export type FoundPosition =
  | {
      readonly kind: 'found';
      readonly revision: bigint;
      readonly before: SegmentBefore;
      readonly missing: MissingChanges | undefined;
      /** The changes of that revision, if they are recorded. */
      readonly last?: RevisionChanges | undefined;
    }
  | { readonly kind: 'none'; readonly why: string };

/**
 * Finds in the store the position to continue recording from, no matter which process recorded before. Recording from this position leaves
 * out no change and stores no change twice.
 */
export async function findPosition(
  place: HistoryPlace,
  { current, minimum }: { readonly current: bigint; readonly minimum: bigint },
  signal: AbortSignal,
): Promise<FoundPosition> {
  const { clusterId } = place.owner;
  const listed = await listSegments(place.store, place.base, signal);
  const segments = listed.filter((segment) => segment.clusterId === clusterId);
  const snapshot = await newestSnapshot(place, signal);
  const position = positionIn({ segments, snapshot, current }, minimum);
  if (position.after !== 'segment') return foundAt(position);
  const { segment } = position;
  const read = await readWhole(place, segment, signal);
  if (read) {
    const before = { kind: 'segment', history: read.history } as const;
    return { kind: 'found', revision: segment.to, before, missing: undefined, last: read.last };
  }
  // The last change segment cannot be read, so no segment can follow it. Recording continues from a snapshot that contains its changes.
  return foundAt(positionIn({ segments: [], snapshot, current }, segment.to), segment);
}

function foundAt(position: ReturnType<typeof positionIn>, unreadable?: SegmentName): FoundPosition {
  if (position.after === 'snapshot') {
    const { revision, sha256, key } = position.snapshot;
    const name = key.slice(key.lastIndexOf('/') + 1);
    return { kind: 'found', revision, before: { kind: 'snapshot', name, revision, sha256 }, missing: position.missing };
  }
  const why = position.after === 'nothing' ? position.why : '';
  return {
    kind: 'none',
    why: unreadable
      ? `change segment ${unreadable.key} of the continuous backup is damaged, or is encrypted with another key`
      : why,
  };
}

/** Undefined if the segment is damaged, or encrypted with a key other than that of the spec. */
async function readWhole(
  { store, keys }: HistoryPlace,
  segment: SegmentName,
  signal: AbortSignal,
): Promise<{ readonly history: string; readonly last: RevisionChanges | undefined } | undefined> {
  try {
    const decoded = await readSegment(store, segment, keys, signal);
    let last: RevisionChanges | undefined;
    for await (const one of decoded.revisions) last = one;
    return { history: decoded.history(), last };
  } catch (error) {
    if (error instanceof ChangesError || error instanceof EncryptionError) return undefined;
    throw error;
  }
}

/**
 * Ignores backups that are encrypted with a key other than that of the spec: no restore could read both such a backup and the changes that
 * are recorded after it.
 */
async function newestSnapshot(
  { store, base, owner, keys }: HistoryPlace,
  signal: AbortSignal,
): Promise<BaseSnapshot | undefined> {
  const { backups, withManifest } = sound(await listSeries(store, base, signal));
  for (const { key } of backups.toSorted((a, b) => b.time - a.time)) {
    const manifest = withManifest.has(key) ? await readManifest(store, key, signal) : undefined;
    if (!manifest || manifest.clusterId !== owner.clusterId || manifest.encryption?.keyId !== keys?.keyId) continue;
    if (!isCounted(manifest, owner) || !isOfName(base, key, manifest.time)) continue;
    const { sha256 } = contentManifest(manifest);
    return { key, revision: BigInt(manifest.revision), sha256, time: Date.parse(manifest.time) };
  }
  return undefined;
}
