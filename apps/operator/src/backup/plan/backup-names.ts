// SPDX-License-Identifier: Apache-2.0

/** A periodic backup, parsed from its key `<key>_v<revision>_<UTC time>`. */
export interface BackupName {
  readonly key: string;
  readonly revision: bigint;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

const nameForm = /^_v(\d{1,19})_(\d{4})-(\d\d)-(\d\d)-(\d\d):(\d\d):(\d\d)$/;

/** The key of a periodic backup. The form is exactly that of CoreOS, because users and scripts parse it. */
export function periodicKey(base: string, revision: bigint, time: number): string {
  const [date = '', clock = ''] = new Date(time).toISOString().slice(0, 19).split('T');
  return `${base}_v${revision}_${date}-${clock}`;
}

/** The prefix of every key of a series. Unrelated keys may start with it too. */
export function seriesPrefix(base: string): string {
  return `${base}_v`;
}

/**
 * True if a manifest can belong to the backup with this key: the manifest of a periodic backup has the time that is in the key. Otherwise
 * the operator would confuse two backups if the store mixed up two responses.
 */
export function isOfName(base: string, key: string, manifestTime: string): boolean {
  const name = parsePeriodicKey(base, key);
  return name === undefined || name.time === Date.parse(manifestTime);
}

/** Parses a key of the series of `base`; undefined if the key does not belong to it. */
export function parsePeriodicKey(base: string, key: string): BackupName | undefined {
  const match = key.startsWith(base) ? nameForm.exec(key.slice(base.length)) : null;
  if (!match) return undefined;
  const [, revision = '', year, month, day, hour, minute, second] = match;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const name = { key, revision: BigInt(revision), time };
  // The operator never writes a date that does not exist, or a revision with leading zeros.
  return Number.isNaN(time) || periodicKey(base, name.revision, time) !== key ? undefined : name;
}

/** The base of the series that a key can belong to; undefined if no periodic backup has such a key. */
export function seriesOf(key: string): string | undefined {
  const base = key.replace(/_v\d{1,19}_\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d$/, '');
  return base !== key && parsePeriodicKey(base, key) ? base : undefined;
}
