// SPDX-License-Identifier: Apache-2.0
import { Measure } from '../delivery/measure.ts';
import type { JobContext } from '../jobs.ts';
import type { SourceFacts } from '../observation.ts';
import { finishSourceRead, inspectStored, readDatabaseFacts, type Source } from './inspected-source.ts';
import type { Kept } from './scratch.ts';

export interface VerifyOptions {
  readonly acceptWithoutHash: boolean;
  /** Begins to keep the bytes for later; undefined if there is no place for them. @default nothing is kept */
  readonly keep?: (bytes: number) => Promise<Kept | undefined>;
}

/**
 * Reads a backup to its end, in bounded memory, and compares its bytes with the expected hashes. Rejects with a `SnapshotError` or
 * `RestoreError` for data that must not be restored.
 */
export async function verifySource(
  opened: Source,
  { acceptWithoutHash, keep }: VerifyOptions,
  context: JobContext,
): Promise<SourceFacts> {
  const { signal } = context;
  const inspected = await inspectStored(opened, signal);
  const kept = await keep?.(inspected.info.bytes);
  try {
    const measured = await readWhole(opened, kept, context);
    const facts = () => readDatabaseFacts(opened, signal);
    const source = await finishSourceRead(opened, { inspected, measured, facts, acceptWithoutHash }, signal);
    await kept?.finish();
    return source;
  } catch (error) {
    await kept?.drop();
    throw error;
  }
}

async function readWhole({ store, place }: Source, kept: Kept | undefined, { signal, onProgress }: JobContext) {
  const measure = new Measure();
  let bytes = 0;
  for await (const piece of store.get(place.key, undefined, { signal })) {
    measure.update(piece);
    await kept?.write(piece);
    bytes += piece.byteLength;
    onProgress(bytes);
  }
  return measure.result();
}
