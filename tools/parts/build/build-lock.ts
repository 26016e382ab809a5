// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatIdentity, isAlive, ownIdentity, type ProcessIdentity, parseIdentity } from './process-identity.ts';

export interface LockOptions {
  readonly signal?: AbortSignal;
  /** Called once while another process holds the lock. */
  readonly onWait?: (holder: ProcessIdentity) => void;
  /** @default 200 */
  readonly pollMilliseconds?: number;
}

/** A held lock; releasing it twice does nothing. */
export interface BuildLock {
  release(): Promise<void>;
}

/**
 * Acquires the lock `key`; waits while another process, or another caller in this one, holds it.
 *
 * A lock is a queue of tickets: empty files whose name contains a number and the owner's pid and start time. A ticket
 * counts if it was the highest just after it was created, and it holds the lock once no living owner has a lower one.
 * So a number that was chosen from an outdated listing is never below the holder's. A dead owner's ticket can be
 * removed by any process, because its name is never used again.
 */
export async function acquireLock(directory: string, key: string, options: LockOptions = {}): Promise<BuildLock> {
  await mkdir(directory, { recursive: true });
  const ticket = await drawTicket(directory, key);
  const release = () => rm(join(directory, ticket.file), { force: true });
  try {
    await waitForTurn(directory, key, ticket, options);
  } catch (error) {
    await release();
    throw error;
  }
  return { release };
}

interface Ticket {
  readonly file: string;
  readonly number: number;
  readonly owner: ProcessIdentity;
}

async function drawTicket(directory: string, key: string): Promise<Ticket> {
  const owner = ownIdentity();
  for (;;) {
    const number = 1 + Math.max(0, ...(await tickets(directory, key)).map((other) => other.number));
    const file = `${key}.${number}.${formatIdentity(owner)}.${randomBytes(4).toString('hex')}`;
    const ticket = { file, number, owner };
    await writeFile(join(directory, file), '', { flag: 'wx' });
    const others = await tickets(directory, key);
    if (others.every((other) => other.file === file || isBefore(other, ticket))) return ticket;
    await rm(join(directory, file), { force: true });
  }
}

async function waitForTurn(directory: string, key: string, own: Ticket, options: LockOptions): Promise<void> {
  for (let told = false; ; ) {
    options.signal?.throwIfAborted();
    const holder = await firstLiving(directory, key);
    // Without a holder, our own ticket was deleted with the cache: the result is renamed into place atomically anyway.
    if (!holder || holder.file === own.file) return;
    if (!told) options.onWait?.(holder.owner);
    told = true;
    await sleep(options.pollMilliseconds ?? 200, undefined, options.signal ? { signal: options.signal } : {});
  }
}

async function firstLiving(directory: string, key: string): Promise<Ticket | undefined> {
  const waiting = (await tickets(directory, key)).sort((a, b) => (isBefore(a, b) ? -1 : 1));
  for (const ticket of waiting) {
    if (isAlive(ticket.owner)) return ticket;
    await rm(join(directory, ticket.file), { force: true });
  }
  return undefined;
}

async function tickets(directory: string, key: string): Promise<Ticket[]> {
  const names = await readdir(directory);
  return names.flatMap((file) => {
    if (!file.startsWith(`${key}.`)) return [];
    const [, number, identity] = /^(\d+)\.(\d+\.\d+)\.[0-9a-f]{8}$/.exec(file.slice(key.length + 1)) ?? [];
    const owner = parseIdentity(identity ?? '');
    return owner ? [{ file, number: Number(number), owner }] : [];
  });
}

function isBefore(a: Ticket, b: Ticket): boolean {
  return a.number === b.number ? a.file < b.file : a.number < b.number;
}
