// SPDX-License-Identifier: Apache-2.0
import type { BlobInfo } from '@operator-parts/blob';
import { manifestPath } from '../../storage/manifest.ts';
import { type BackupName, parsePeriodicKey } from './backup-names.ts';
import { type KeepRule, type KeepRules, keptBy } from './keep-rules.ts';

/** The backups and manifests of a series, as the store lists them. */
export interface SeriesListing {
  readonly backups: readonly StoredBackup[];
  /** Keys whose manifest is listed, even if the backup itself is not. */
  readonly withManifest: ReadonlySet<string>;
}

/** A backup of a series, as the store lists it. */
export interface StoredBackup extends BackupName {
  readonly bytes: number;
  /**
   * The time in the backup's name, or the store's modification time if that is earlier: then the operator's clock was ahead when it chose
   * the name.
   */
  readonly madeAt: number;
}

/** A listing with a repeated entry or a wrong order. Such a listing must not decide what is deleted. */
export interface InvalidListing {
  readonly problem: string;
}

/** Reads a listing of keys that start with the prefix of the series of `base`. */
export function seriesIn(base: string, listing: Iterable<BlobInfo>): SeriesListing | InvalidListing {
  const backups: StoredBackup[] = [];
  const withManifest = new Set<string>();
  let before = '';
  for (const { key, bytes, modifiedAt } of listing) {
    const of = key.endsWith(manifestPath('')) ? key.slice(0, -manifestPath('').length) : key;
    const name = parsePeriodicKey(base, of);
    if (!name) continue;
    if (key === before) return { problem: `the backup store lists ${key} twice` };
    if (key < before)
      return { problem: `the backup store lists its objects in a wrong order (${key} after ${before})` };
    before = key;
    if (of === key) backups.push({ ...name, bytes, madeAt: Math.min(name.time, modifiedAt || name.time) });
    else withManifest.add(of);
  }
  return { backups, withManifest };
}

/** The backups that may be deleted under a policy. */
export interface Retention {
  /** Oldest first. */
  readonly surplus: readonly StoredBackup[];
  /** Number of backups without a matching manifest: it is not known what they are, so they are neither counted nor deleted. */
  readonly uncounted: number;
  /** By key: the rules that keep a counted backup. Empty if the backup is not kept, or if every backup is kept because all rules are 0. */
  readonly rules: ReadonlyMap<string, readonly KeepRule[]>;
}

/** What decides which backups of a series are deleted. */
export interface RetentionPolicy {
  readonly keep: KeepRules;
  /** The key of the new backup, which is always kept. */
  readonly made: string;
  /**
   * Keys that are kept whatever the rules say: the last backup whose proof (test restore) succeeded, and a backup whose proof is in
   * progress or has failed.
   */
  readonly spared: ReadonlySet<string>;
}

/**
 * Selects the backups of a series to delete. A backup without a matching manifest is neither counted nor deleted: it may be the leftover of
 * a failed attempt. A backup that is dated later than `made` is neither counted nor deleted either: the clock was wrong when one of the two
 * was made, so the age of that backup is unknown. Spared backups are counted, but not deleted.
 *
 * @param manifestBytes the length of each backup according to its manifest
 */
export function retention(
  { backups }: SeriesListing,
  manifestBytes: ReadonlyMap<string, number>,
  { keep, made, spared }: RetentionPolicy,
): Retention | InvalidListing {
  const sound = backups.filter(({ key, bytes }) => manifestBytes.get(key) === bytes);
  const uncounted = backups.length - sound.length;
  const latest = sound.find(({ key }) => key === made);
  if (!latest) return { problem: `the backup store lists the new backup ${made} with another size, or not at all` };
  const others = sound.filter(({ key, madeAt }) => key !== made && madeAt <= latest.madeAt).toSorted(newestFirst);
  const kept = keptBy(keep, [latest, ...others]);
  const surplus = others.filter(({ key }) => !kept.has(key) && !spared.has(key)).toReversed();
  const rules = new Map([latest, ...others].map(({ key }) => [key, kept.get(key) ?? []]));
  return { surplus, uncounted, rules };
}

/**
 * Some stores report the same time for all objects; then the times in the names decide. Of two backups of the same second, the backup with
 * the higher revision is newer.
 */
function newestFirst(a: StoredBackup, b: StoredBackup): number {
  return b.madeAt - a.madeAt || b.time - a.time || (b.revision > a.revision ? 1 : b.revision < a.revision ? -1 : 0);
}
