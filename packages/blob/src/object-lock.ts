// SPDX-License-Identifier: Apache-2.0
import { BlobError } from './blob-error.ts';

/**
 * How long a stored object cannot be deleted. In `Governance` mode, a special permission still allows that. In a store
 * with versions, a writer can store a newer version under the same key; readers then get the newer version.
 */
export interface ObjectLock {
  readonly mode: 'Governance' | 'Compliance';
  readonly days: number;
}

const dayMs = 86_400_000;

/** The end of the lock of a new object. @param now milliseconds since the epoch */
export function lockedUntil({ days }: ObjectLock, now: number): Date {
  return new Date(now + days * dayMs);
}

/** A store's names of the two modes. Answers may use another case. */
export type LockModes = Readonly<Record<ObjectLock['mode'], string>>;

/** How a store locks: its names of the modes, and the permissions needed to see a lock. */
export interface LockWords {
  readonly modes: LockModes;
  /** The permission to read the object. */
  readonly toRead: string;
  /** The permission to see its lock; undefined if the permission to read is enough. */
  readonly toSee?: string;
}

/** The lock of an object as the store shows it. */
export interface ShownLock {
  readonly mode?: string | undefined;
  readonly until?: Date | undefined;
}

/** True if the shown lock is long enough. An upload may take some of the time, but never a day. */
export function isLongEnough({ days }: ObjectLock, { until }: ShownLock, now: number): boolean {
  return (until?.getTime() ?? 0) >= now + (days - 1) * dayMs;
}

export function isMode(lock: ObjectLock, { mode }: ShownLock, modes: LockModes): boolean {
  return mode?.toLowerCase() === modes[lock.mode].toLowerCase();
}

/**
 * Throws if the requested lock is not shown: some stores with a compatible protocol accept the request for a lock and
 * ignore it.
 * @param shown undefined if the credentials may not read the metadata of the object
 * @param now milliseconds since the epoch
 */
export function requireLock(
  lock: ObjectLock,
  words: LockWords,
  shown: ShownLock | undefined,
  key: string,
  now: number,
): void {
  if (shown && isMode(lock, shown, words.modes) && isLongEnough(lock, shown, now)) return;
  const asked = `${lock.mode} mode for ${lock.days} days`;
  throw new BlobError('Configuration', `${whatIsShown(words, shown, key)}. Requested: ${asked}`);
}

function whatIsShown({ toRead, toSee }: LockWords, shown: ShownLock | undefined, key: string): string {
  if (!shown) {
    const rights = toSee ? `the rights ${toRead} and ${toSee}` : `the right ${toRead}`;
    return `the lock of ${key} in the backup store cannot be read: the credentials need ${rights}`;
  }
  if (!shown.mode) {
    const lacking = toSee ? `, or the credentials lack the right ${toSee}` : '';
    return `the backup store does not show that ${key} is locked: it does not lock objects${lacking}`;
  }
  return `the backup store locked ${key} in ${shown.mode.slice(0, 64)} mode until ${endOf(shown.until)}`;
}

function endOf(until: Date | undefined): string {
  return until && !Number.isNaN(until.getTime()) ? until.toISOString() : 'an unknown time';
}
