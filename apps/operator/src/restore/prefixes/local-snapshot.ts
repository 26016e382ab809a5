// SPDX-License-Identifier: Apache-2.0
import { SnapshotKeys, type Spill } from '@operator-parts/etcd';
import type { Random } from '@operator-parts/ports';
import type { SourceFacts } from '../observation.ts';
import { RestoreError } from '../restore-error.ts';
import type { CopyFile } from '../source/local-copy.ts';
import { memoryFile } from '../source/memory-file.ts';
import type { Kept, Scratch } from '../source/scratch.ts';
import type { ScratchFile } from '../source/scratch-file.ts';
import { sealedFile } from '../source/sealed-file.ts';

/** Reads a source to its end, compares its hashes, and keeps the bytes. */
export type Fetch = (keep: (bytes: number) => Promise<Kept | undefined>) => Promise<SourceFacts>;

/** A verified source, on the operator's own disk. */
export interface LocalSnapshot {
  readonly facts: SourceFacts;
  readonly keys: SnapshotKeys;
  /** Storage for what does not fit in memory. */
  readonly spill: Spill;
}

export interface LocalPlace {
  readonly scratch: Scratch;
  readonly random: Random;
  /** Name of the copy in the scratch folder; belongs to the restore. */
  readonly name: string;
}

/** Room for the copy, as a multiple of its size: the names of keys are stored next to it while they are sorted. */
const roomForKeys = 1.25;

/**
 * Fetches and verifies a source once, and calls `work` with a local copy that allows random access. So the source cannot be replaced
 * between verification and use. The copy has the content that a member restored from the source would have. It is encrypted on the disk,
 * and is deleted when the work is done.
 */
export async function withLocalSnapshot<T>(
  { scratch, random, name }: LocalPlace,
  fetch: Fetch,
  work: (snapshot: LocalSnapshot) => Promise<T>,
): Promise<T> {
  await using closing = new AsyncDisposableStack();
  let copy: CopyFile | undefined;
  const facts = await fetch(async (bytes) => {
    const file = closing.use(await roomFor(scratch, name, bytes));
    const sealed = sealedFile(file, random.bytes(32));
    copy = sealed;
    const nothing = async () => undefined;
    return { write: async (piece) => void (await sealed.append(piece)), finish: nothing, drop: nothing };
  });
  if (!copy) throw new RestoreError('SourceRefused', 'no data of the backup was read');
  const keys = await SnapshotKeys.open({ readAt: copy.read, bytes: facts.bytes });
  // The await is needed: the copy is deleted when this function ends.
  return await work({ facts, keys, spill: copy });
}

/**
 * The limit for a source that is held in memory, if there is no scratch folder. As many sources may be in memory as backups may be read at
 * the same time.
 */
const mostInMemory = 32 * 1024 * 1024;

async function roomFor(scratch: Scratch, name: string, bytes: number): Promise<ScratchFile> {
  const file = await scratch.file(name, Math.ceil(bytes * roomForKeys));
  if (file) return file;
  if (scratch.isThere)
    throw new RestoreError('NotDelivered', `the scratch directory of the operator has no room for ${bytes} bytes`);
  if (bytes <= mostInMemory) return memoryFile();
  throw new RestoreError(
    'SourceRefused',
    `the backup has ${bytes} bytes, and spec.prefixes needs a copy of the backup on the disk of the operator. Start the operator with -scratch-directory`,
  );
}
