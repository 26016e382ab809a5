// SPDX-License-Identifier: Apache-2.0

/** A periodic backup, as its key tells: `<key>_v<revision>_<UTC time>`. */
export interface BackupName {
  readonly key: string;
  readonly revision: bigint;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

const nameForm = /^_v(\d{1,19})_(\d{4})-(\d\d)-(\d\d)-(\d\d):(\d\d):(\d\d)$/;

/** The key of a periodic backup. CoreOS's form, to the letter: people and scripts parse it. */
export function periodicKey(base: string, revision: bigint, time: number): string {
  const [date = '', clock = ''] = new Date(time).toISOString().slice(0, 19).split('T');
  return `${base}_v${revision}_${date}-${clock}`;
}

/** What every key of a series starts with; much else may start so, too. */
export function seriesPrefix(base: string): string {
  return `${base}_v`;
}

/**
 * Whether a manifest that was read beside a key can be its own: that of a series says the time of the name. Answers that have changed
 * places would have the backup of one taken for that of another.
 */
export function isOfName(base: string, key: string, manifestTime: string): boolean {
  const name = parsePeriodicKey(base, key);
  return name === undefined || name.time === Date.parse(manifestTime);
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
