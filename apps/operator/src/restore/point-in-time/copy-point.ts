// SPDX-License-Identifier: Apache-2.0
import type { ChainGoal } from '../../changes/chain.ts';
import type { OpenedStorage } from '../../storage/open-store.ts';
import type { CopyFile, LocalCopy } from '../source/local-copy.ts';
import { sealedFile } from '../source/sealed-file.ts';
import { verifyPoint } from './verify-point.ts';

export interface PointCopy {
  readonly copy: CopyFile;
  /** 32 random bytes to encrypt the copy with, because the stored data may be encrypted, too. */
  readonly key: Uint8Array;
}

/**
 * Builds the data of a point in time in a local file, and verifies all parts of it, as a restore does. Rejects with the errors of
 * `verifyPoint`.
 */
export async function copyPoint(
  opened: OpenedStorage,
  goal: ChainGoal,
  { copy, key }: PointCopy,
  signal: AbortSignal,
): Promise<LocalCopy> {
  const sealed = sealedFile(copy, key);
  const nothing = async () => undefined;
  const kept = {
    write: async (piece: Uint8Array) => void (await sealed.append(piece)),
    finish: nothing,
    drop: nothing,
  };
  const facts = await verifyPoint(opened, goal, async () => kept, { signal, onProgress: () => undefined });
  return { facts, hasOtherManifest: false, file: { readAt: sealed.read, bytes: facts.bytes } };
}
