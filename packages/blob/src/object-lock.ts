// SPDX-License-Identifier: Apache-2.0
import { BlobError } from './blob-error.ts';

/**
 * For how long nobody may delete what is stored, in `Governance` mode nobody without a special right. Where a store keeps versions, whoever
 * may write can still store a newer one under the same key, and that is what is read.
 */
export interface ObjectLock {
  readonly mode: 'Governance' | 'Compliance';
  readonly days: number;
}

const dayMs = 86_400_000;

/** Until when an object that is made now is locked. @param now milliseconds since the epoch */
export function lockedUntil({ days }: ObjectLock, now: number): Date {
  return new Date(now + days * dayMs);
}

/** What a store calls the two modes. Stores write them in other cases than they are asked for. */
export type LockModes = Readonly<Record<ObjectLock['mode'], string>>;

/** How a store locks: its names for the modes, and what whoever asks needs to see a lock. */
export interface LockWords {
  readonly modes: LockModes;
  /** To read the object. */
  readonly toRead: string;
  /** To be shown its lock. Undefined: whoever may read it is. */
  readonly toSee?: string;
}

/** What the store shows of how an object is locked. */
export interface ShownLock {
  readonly mode?: string | undefined;
  readonly until?: Date | undefined;
}

/** Whether a lock of the length that was asked for is shown. An upload may take some of its time, but never a day. */
export function isLongEnough({ days }: ObjectLock, { until }: ShownLock, now: number): boolean {
  return (until?.getTime() ?? 0) >= now + (days - 1) * dayMs;
}

export function isMode(lock: ObjectLock, { mode }: ShownLock, modes: LockModes): boolean {
  return mode?.toLowerCase() === modes[lock.mode].toLowerCase();
}

/**
 * Throws if a lock that was asked for is not shown: not everything that speaks a store's protocol locks, and some take the wish for it and say
 * nothing.
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
  const asked = `${lock.mode} mode for ${lock.days} days was asked for`;
  throw new BlobError('Configuration', `${whatIsShown(words, shown, key)}, and ${asked}`);
}

function whatIsShown({ toRead, toSee }: LockWords, shown: ShownLock | undefined, key: string): string {
  if (!shown) {
    const rights = toSee ? `the rights ${toRead} and ${toSee}` : `the right ${toRead}`;
    return `the store does not let the lock of ${key} be read: the credentials need ${rights}`;
  }
  if (!shown.mode) {
    const lacking = toSee ? `, or the credentials lack the right ${toSee}` : '';
    return `the store does not show that ${key} is locked: it does not lock objects${lacking}`;
  }
  return `the store locked ${key} in ${shown.mode.slice(0, 64)} mode until ${endOf(shown.until)}`;
}

function endOf(until: Date | undefined): string {
  return until && !Number.isNaN(until.getTime()) ? until.toISOString() : 'an unknown time';
}
