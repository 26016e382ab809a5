// SPDX-License-Identifier: Apache-2.0
import type { BlobInfo, BlobStore } from '@operator-parts/blob';
import { chainFrom, withoutLost } from '../../changes/chain.ts';
import { parseSegmentKey, type SegmentName, segmentBase } from '../../changes/segment-names.ts';
import { type Manifest, snapshotPath } from '../../storage/manifest.ts';
import { type FoundManifest, findManifest } from '../../storage/read-manifest.ts';
import { isOfName, parsePeriodicKey, seriesOf } from '../plan/backup-names.ts';
import { type ChangesRange, changesRanges } from './changes-range.ts';

/** How the manifest of a backup relates to the stored object. */
export type ManifestState =
  /** The manifest describes an object of this length and name: the backup was verified and complete when it was stored. */
  | 'Matches'
  /** The manifest describes an object of another length or time. */
  | 'Differs'
  /** The object in its place is not a manifest. */
  | 'Invalid'
  /** The store denies reading the manifest. */
  | 'Denied'
  /** The backup has no manifest: the backup was not completed, or another tool made it. */
  | 'Missing';

/** A backup in a store. */
export interface ListedBackup {
  readonly key: string;
  /** Length of the stored object. */
  readonly bytes: number;
  /** When the backup was made, in milliseconds since the epoch: according to its manifest, otherwise its name, otherwise the store. */
  readonly time: number;
  readonly modifiedAt: number;
  readonly state: ManifestState;
  /** Present if the manifest matches. */
  readonly manifest: Manifest | undefined;
}

/** What is stored at one path: a backup, or a series of backups and the changes that were recorded. */
export interface StoredPath {
  /** The key of the path. */
  readonly base: string;
  /** Oldest first. */
  readonly backups: readonly ListedBackup[];
  readonly changes: readonly ChangesRange[];
  /** The last revision that can be restored: from the newest complete backup and the recorded changes after it. */
  readonly recoveryPoint: { readonly revision: bigint; readonly time: number } | undefined;
}

/** Which paths to list: all paths whose key has this beginning, or exactly one path. */
export type PathsAsked = { readonly beginning: string } | { readonly base: string };

/** How many manifests are read at the same time. */
const readers = 8;

/**
 * Lists what is stored, from the store alone. Only the manifests are read, not the backups. A key without a manifest is listed only if it
 * is the key of a periodic backup or exactly the requested key: other objects in the store are not backups.
 */
export async function listStored(
  store: Pick<BlobStore, 'list' | 'get'>,
  asked: PathsAsked,
  signal: AbortSignal,
): Promise<readonly StoredPath[]> {
  const beginning = 'base' in asked ? asked.base : asked.beginning;
  const { objects, withManifest, segments } = await sorted(store.list(beginning, { signal }));
  const isBackup = (key: string) => withManifest.has(key) || seriesOf(key) !== undefined || key === beginning;
  const found = objects.filter(({ key }) => isBackup(key));
  const bases = [...new Set([...found.map(({ key }) => baseOf(key)), ...segments.keys()])].toSorted();
  const paths: StoredPath[] = [];
  for (const base of 'base' in asked ? bases.filter((one) => one === asked.base) : bases) {
    const infos = found.filter(({ key }) => baseOf(key) === base);
    const backups = await described(store, infos, signal);
    paths.push(storedPath(base, backups, segments.get(base) ?? []));
  }
  return paths;
}

/** What a listing contains: change segments by the path that they belong to, keys that have a manifest, and all other objects. */
async function sorted(listing: AsyncIterable<BlobInfo>) {
  const objects: BlobInfo[] = [];
  const [withManifest, segments] = [new Set<string>(), new Map<string, SegmentName[]>()];
  for await (const info of listing) {
    const base = segmentBase(info.key);
    const segment = base === undefined ? undefined : parseSegmentKey(base, info.key);
    if (base !== undefined && segment) {
      const known = segments.get(base);
      if (known) known.push(segment);
      else segments.set(base, [segment]);
    } else if (snapshotPath(info.key) !== info.key) withManifest.add(snapshotPath(info.key));
    else objects.push(info);
  }
  return { objects, withManifest, segments };
}

function baseOf(key: string): string {
  return seriesOf(key) ?? key;
}

async function described(
  store: Pick<BlobStore, 'get'>,
  infos: readonly BlobInfo[],
  signal: AbortSignal,
): Promise<readonly ListedBackup[]> {
  const backups: ListedBackup[] = [];
  for (let from = 0; from < infos.length; from += readers) {
    const some = infos.slice(from, from + readers);
    const manifests = await Promise.all(some.map(({ key }) => findManifest(store, key, signal)));
    for (const [index, info] of some.entries()) backups.push(listed(info, manifests[index] ?? 'absent'));
  }
  return backups.toSorted((a, b) => a.time - b.time || (a.key < b.key ? -1 : 1));
}

function listed({ key, bytes, modifiedAt }: BlobInfo, found: FoundManifest): ListedBackup {
  const name = parsePeriodicKey(baseOf(key), key);
  const state = stateOf(found, { key, bytes });
  const manifest = state === 'Matches' && typeof found === 'object' ? found : undefined;
  const time = manifest ? Date.parse(manifest.time) : (name?.time ?? modifiedAt);
  return { key, bytes, time, modifiedAt, state, manifest };
}

function stateOf(found: FoundManifest, { key, bytes }: Pick<BlobInfo, 'key' | 'bytes'>): ManifestState {
  if (typeof found === 'object')
    return found.bytes === bytes && isOfName(baseOf(key), key, found.time) ? 'Matches' : 'Differs';
  switch (found) {
    case 'absent':
      return 'Missing';
    case 'denied':
      return 'Denied';
    case 'garbled':
      return 'Invalid';
  }
}

function storedPath(base: string, backups: readonly ListedBackup[], segments: readonly SegmentName[]): StoredPath {
  const newest = backups.findLast(({ manifest }) => manifest !== undefined);
  return { base, backups, changes: changesRanges(segments), recoveryPoint: newest && pointAfter(newest, segments) };
}

function pointAfter({ manifest, time }: ListedBackup, segments: readonly SegmentName[]): StoredPath['recoveryPoint'] {
  if (!manifest) return undefined;
  const snapshot = { clusterId: manifest.clusterId, revision: BigInt(manifest.revision), time };
  const own = withoutLost(segments, snapshot).filter(({ clusterId }) => clusterId === snapshot.clusterId);
  const next = snapshot.revision + 1n;
  const range = changesRanges(own).find(({ from, to }) => from <= next && next <= to);
  const chain = range && chainFrom(snapshot, own, { revision: range.to });
  const reached = chain?.kind === 'chain' ? chain.recordedUntil : undefined;
  return reached ? { revision: reached.revision, time: reached.at } : { revision: snapshot.revision, time };
}
