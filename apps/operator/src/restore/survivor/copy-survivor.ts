// SPDX-License-Identifier: Apache-2.0
import { constants, copyFile, type FileHandle, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  LogError,
  LogReader,
  type LogReading,
  readSnapshotFacts,
  SnapshotError,
  type SnapshotFacts,
  singleMemberRecords,
} from '@operator-parts/etcd';

/** The folders in etcd's data directory. */
const folders = { log: join('member', 'wal'), snapshots: join('member', 'snap') } as const;

export interface SurvivorCopy {
  readonly log: LogReading;
  /** The revision of the newest entry in the database; 0 if there is none. */
  readonly newestEntry: bigint;
  /** No revision above this is possible after applying all of the log: each entry creates at most one revision. */
  readonly highestRevision: bigint;
}

export interface CopyOptions {
  /** The member's data directory, and that of the copy. */
  readonly from: string;
  readonly to: string;
  /**
   * Nothing is copied if the log ends at this index, because a snapshot of the member contains the whole log. @default undefined: the data
   * is always copied
   */
  readonly held?: number;
}

/**
 * Copies a member's data directory while no process writes to it, and appends entries to the log of the copy that remove all other members,
 * so that the member runs alone with everything that it has; see `singleMemberRecords`. The original is only read. A copy of an earlier
 * attempt is removed first. Rejects with a `LogError` if etcd could not start on the directory, or only with less data than the member had;
 * then the copy is removed.
 */
export async function copySurvivor({ from, to, held }: CopyOptions): Promise<SurvivorCopy> {
  const files = await logFiles(from);
  await rm(to, { recursive: true, force: true });
  const early = held === undefined ? undefined : await readLog(from);
  if (early && Number(early.lastIndex) === held) {
    // Throws for the logs that cannot be copied: the snapshot of such a member must not be used either.
    singleMemberRecords(early);
    return { log: early, ...(await checkDatabase(from, early)) };
  }
  // The disk copies while the log is checked: both together take as long as the slower one.
  const copying = copyFiles(from, to, files.slice(0, -1));
  // The error is thrown where the copy is awaited.
  copying.catch(() => undefined);
  try {
    const log = early ?? (await readLog(from));
    const ending = singleMemberRecords(log);
    const revisions = await checkDatabase(from, log);
    await copying;
    const last = join(folders.log, files.at(-1) ?? '');
    const kept = (await readFile(join(from, last))).subarray(0, log.end.offset);
    await writeFile(join(to, last), Buffer.concat([kept, ending]), { mode: 0o600, flush: true });
    return { log, ...revisions };
  } catch (error) {
    await copying.catch(() => undefined);
    await rm(to, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Copies all of a data directory except the last file of its log. On some file systems, original and copy share blocks until one of them is
 * changed.
 */
async function copyFiles(from: string, to: string, log: readonly string[]): Promise<void> {
  for (const folder of Object.values(folders)) await mkdir(join(to, folder), { recursive: true, mode: 0o700 });
  // A database received from the leader has the suffix `.snap.db` until etcd renames it.
  const snapshots = (await namesIn(join(from, folders.snapshots))).filter(
    (file) => file === 'db' || /\.snap(\.db)?$/.test(file),
  );
  const names = [
    ...snapshots.map((name) => join(folders.snapshots, name)),
    ...log.map((name) => join(folders.log, name)),
  ];
  for (const name of names) await copyFile(join(from, name), join(to, name), constants.COPYFILE_FICLONE);
}

/**
 * Checks that log and database fit together. If the database has applied entries that the log does not have, the end of the log is lost,
 * which etcd does not report. Entries before the beginning of the log must be in the database, or in a database that the leader has sent.
 * If the log goes back to the first entry, no database is needed: etcd builds the database from the log.
 */
async function checkDatabase(
  directory: string,
  { lastIndex, baseIndex }: LogReading,
): Promise<Omit<SurvivorCopy, 'log'>> {
  const names = await namesIn(join(directory, folders.snapshots));
  const file = names.includes('db') ? join(directory, folders.snapshots, 'db') : undefined;
  const facts = file === undefined ? undefined : await databaseFacts(file);
  const { consistentIndex: applied = 0n, newestEntry = 0n, revision = 1n } = facts ?? {};
  if (applied > lastIndex)
    throw new LogError(
      'Missing',
      `the end of the write-ahead log (WAL) is missing: the WAL ends at index ${lastIndex}, but the database has applied index ${applied}`,
    );
  if (applied < baseIndex && !names.includes(`${hex(baseIndex)}.snap.db`))
    throw new LogError(
      'Missing',
      `the database is missing or too old: it has applied index ${applied}, but the write-ahead log (WAL) begins after index ${baseIndex}`,
    );
  return { newestEntry, highestRevision: revision + lastIndex - applied };
}

async function databaseFacts(file: string): Promise<SnapshotFacts> {
  await using handle = await open(file, 'r');
  try {
    return await readSnapshotFacts(async (offset, length) => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    });
  } catch (error) {
    if (error instanceof SnapshotError) throw new LogError('Damaged', `its database is damaged: ${error.message}`);
    throw error;
  }
}

/** Reads the log in a member's data directory. Changes nothing. */
export async function readLog(directory: string): Promise<LogReading> {
  const snapshots = new Set(await namesIn(join(directory, folders.snapshots)));
  const reader = new LogReader((term, index) => snapshots.has(`${hex(term)}-${hex(index)}.snap`));
  let buffer = Buffer.alloc(0);
  for (const name of await logFiles(directory)) {
    // Reads one file at a time, always into the same memory: each file has 64 MiB.
    await using handle = await open(join(directory, folders.log, name), 'r');
    const { size } = await handle.stat();
    if (buffer.byteLength < size) buffer = Buffer.allocUnsafe(size);
    reader.add(buffer.subarray(0, await readInto(handle, buffer.subarray(0, size))));
  }
  return reader.result();
}

/** Resolves with the number of bytes read. */
async function readInto(handle: FileHandle, buffer: Buffer): Promise<number> {
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.byteLength - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === buffer.byteLength) return length;
  }
}

/** True if etcd has never written to this directory: etcd creates its log first. */
export async function isBlank(directory: string): Promise<boolean> {
  const [snapshots, log] = await Promise.all(Object.values(folders).map((folder) => namesIn(join(directory, folder))));
  return snapshots?.length === 0 && log?.length === 0;
}

async function logFiles(directory: string): Promise<string[]> {
  const names = (await namesIn(join(directory, folders.log))).filter((name) =>
    /^[0-9a-f]{16}-[0-9a-f]{16}\.wal$/.test(name),
  );
  if (names.length === 0) throw new LogError('Missing', 'the volume has no write-ahead log (WAL)');
  return names.sort();
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

function hex(value: bigint): string {
  return value.toString(16).padStart(16, '0');
}
