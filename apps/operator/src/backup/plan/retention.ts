// SPDX-License-Identifier: Apache-2.0
import type { BlobInfo } from '@etcd-operator/blob';
import { manifestPath } from '../../storage/manifest.ts';
import { type BackupName, parsePeriodicKey } from './backup-names.ts';
import { type KeepRules, keptBy } from './keep-rules.ts';

/** What is stored below the names of a series, as the store lists it: backups and manifests, and nothing else. */
export interface SeriesListing {
  readonly backups: readonly StoredBackup[];
  /** Keys of backups whose manifest is listed, whether they are or not. */
  readonly withManifest: ReadonlySet<string>;
}

/** A backup of a series, as the store lists it. */
export interface StoredBackup extends BackupName {
  readonly bytes: number;
  /** When it was made: what its name says, or when the store got it if that was earlier, for then the name is of a clock ahead. */
  readonly madeAt: number;
}

/** A listing that must not decide what is deleted: the store has named something twice, or in the wrong order. */
export interface UnsoundListing {
  readonly problem: string;
}

/** Reads a listing of the keys that start like those of the series of `base`. */
export function seriesIn(base: string, listing: Iterable<BlobInfo>): SeriesListing | UnsoundListing {
  const backups: StoredBackup[] = [];
  const withManifest = new Set<string>();
  let before = '';
  for (const { key, bytes, modifiedAt } of listing) {
    const of = key.endsWith(manifestPath('')) ? key.slice(0, -manifestPath('').length) : key;
    const name = parsePeriodicKey(base, of);
    if (!name) continue;
    if (key === before) return { problem: `the store lists ${key} twice` };
    if (key < before) return { problem: `the store lists keys out of order (${key} after ${before})` };
    before = key;
    if (of === key) backups.push({ ...name, bytes, madeAt: Math.min(name.time, modifiedAt || name.time) });
    else withManifest.add(of);
  }
  return { backups, withManifest };
}

/** What may be deleted so that those that are to be kept remain. */
export interface Retention {
  /** Oldest first. */
  readonly surplus: readonly StoredBackup[];
  /** Backups without a manifest that fits: what they are is not known, so they neither count nor go. */
  readonly uncounted: number;
}

/** What decides which backups of a series go. */
export interface RetentionPolicy {
  readonly keep: KeepRules;
  /** The key of the backup that was just made: it always stays. */
  readonly made: string;
  /** Keys that stay whatever the rules say: what was last proven, and what is being proven or was found damaged. */
  readonly spared: ReadonlySet<string>;
}

/**
 * Which backups of a series go, so that those stay that the rules keep, of the sound ones. Sound is what has a manifest that fits: a
 * leftover of a failed attempt takes the place of no backup. What was made later than `made` bears the time of a clock that was wrong,
 * or is now: how old it is is not known, so it neither goes nor counts. What is spared counts as if it were not.
 *
 * @param manifestBytes what the manifest of each backup says of its length
 */
export function retention(
  { backups }: SeriesListing,
  manifestBytes: ReadonlyMap<string, number>,
  { keep, made, spared }: RetentionPolicy,
): Retention | UnsoundListing {
  const sound = backups.filter(({ key, bytes }) => manifestBytes.get(key) === bytes);
  const uncounted = backups.length - sound.length;
  const latest = sound.find(({ key }) => key === made);
  if (!latest) return { problem: `the store does not list ${made}, which was just stored, with its full size` };
  const others = sound.filter(({ key, madeAt }) => key !== made && madeAt <= latest.madeAt).toSorted(newestFirst);
  const kept = keptBy(keep, [latest, ...others]);
  return { surplus: others.filter(({ key }) => !kept.has(key) && !spared.has(key)).toReversed(), uncounted };
}

/** Some stores tell one time of everything: then names decide. Of two of the same second the higher revision is newer. */
function newestFirst(a: StoredBackup, b: StoredBackup): number {
  return b.madeAt - a.madeAt || b.time - a.time || (b.revision > a.revision ? 1 : b.revision < a.revision ? -1 : 0);
}
