// SPDX-License-Identifier: Apache-2.0

/** A periodic backup, as its key tells: `<key>_v<revision>_<UTC time>`. */
export interface BackupName {
  readonly key: string;
  readonly revision: bigint;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

const nameForm = /^_v(\d{1,19})_(\d{4})-(\d\d)-(\d\d)-(\d\d):(\d\d):(\d\d)$/;

/** The key of a periodic backup. The original's form, to the letter: people and scripts parse it. */
export function periodicKey(base: string, revision: bigint, time: number): string {
  const [date = '', clock = ''] = new Date(time).toISOString().slice(0, 19).split('T');
  return `${base}_v${revision}_${date}-${clock}`;
}

/** What every key of a series starts with; much else may start so, too. */
export function seriesPrefix(base: string): string {
  return `${base}_v`;
}

/** Reads a key of the series of `base`; undefined if it is none, whatever it looks like. */
export function parsePeriodicKey(base: string, key: string): BackupName | undefined {
  const match = key.startsWith(base) ? nameForm.exec(key.slice(base.length)) : null;
  if (!match) return undefined;
  const [, revision = '', year, month, day, hour, minute, second] = match;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const name = { key, revision: BigInt(revision), time };
  // A date that does not exist, or a revision with leading zeros: not written by us.
  return Number.isNaN(time) || periodicKey(base, name.revision, time) !== key ? undefined : name;
}

/**
 * Which backups of a series go, oldest first, so that the newest `keep` stay. Age is the time in the name; of two of the
 * same second the higher revision is newer. `made`, just made and verified, always stays. Names of a later time than that were
 * given by a clock that was wrong, or is now: how old they are is not known, so they neither go nor count.
 */
export function surplus(names: readonly BackupName[], keep: number, made: string | undefined): readonly BackupName[] {
  if (keep <= 0) return [];
  const latest = names.find(({ key }) => key === made)?.time ?? Number.POSITIVE_INFINITY;
  const known = names.filter(({ time }) => time <= latest);
  const newestFirst = known.sort((a, b) => Number(b.key === made) - Number(a.key === made) || newer(a, b));
  return newestFirst.slice(keep).reverse();
}

function newer(a: BackupName, b: BackupName): number {
  return b.time - a.time || (b.revision > a.revision ? 1 : b.revision < a.revision ? -1 : 0);
}
