// SPDX-License-Identifier: Apache-2.0
import type { BlobInfo } from '@operator-parts/blob';
import type { SnapshotFile } from '@operator-parts/etcd';
import { type BackupReader, openBackup } from '../../storage/encryption/backup-reader.ts';
import type { OpenedStorage } from '../../storage/open-store.ts';
import { rangedReader } from '../../storage/ranged-reader.ts';
import { findManifest } from '../../storage/read-manifest.ts';
import type { SourceFacts } from '../observation.ts';
import { RestoreError } from '../restore-error.ts';
import { verifySource } from './verify-source.ts';

/** A file on this machine that only this process can open. */
export interface CopyFile {
  append(bytes: Uint8Array): Promise<number>;
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** A backup that was verified and allows random access. */
export interface LocalCopy {
  readonly facts: SourceFacts;
  /** True if the object in the manifest's place is not the manifest of these bytes. */
  readonly hasOtherManifest: boolean;
  /** Its content, decrypted. */
  readonly file: SnapshotFile;
}

const pieceBytes = 1024 * 1024;

/**
 * Fetches a stored backup once, as it is stored, and verifies the copy as a restore verifies its source. Later reads use the copy, so that
 * replacing the stored backup has no effect on them. What is encrypted in the store stays encrypted on the disk. Rejects with the errors of
 * `verifySource`.
 */
export async function copyBackup(opened: OpenedStorage, copy: CopyFile, signal: AbortSignal): Promise<LocalCopy> {
  const { store, place, keys } = opened;
  const info = await store.stat(place.key, { signal });
  let bytes = 0;
  for await (const piece of store.get(place.key, undefined, { signal })) {
    await copy.append(piece);
    bytes += piece.byteLength;
  }
  if (bytes !== info.bytes)
    throw new RestoreError(
      'SourceReplaced',
      `the backup ${place.path} was replaced in the backup store while the restore was reading it`,
    );
  const local = copyReader(store, info, copy);
  const reader = await openBackup(local, { key: place.key, keys }, signal);
  const options = { acceptWithoutHash: false };
  const facts = await verifySource({ store: reader, place, keys }, options, { signal, onProgress: () => undefined });
  const beside = await findManifest(store, place.key, signal);
  return {
    facts,
    hasOtherManifest: facts.verified !== 'Manifest' && (typeof beside === 'object' || beside === 'garbled'),
    file: { readAt: rangedReader(reader, place.key, signal), bytes: facts.bytes },
  };
}

/** Reads the object from the copy, and other objects, such as the manifest, from the store. */
function copyReader(store: BackupReader, info: BlobInfo, copy: CopyFile): BackupReader {
  return {
    get: (key, range, options) =>
      key === info.key ? pieces(copy, range?.offset ?? 0, endOf(info, range)) : store.get(key, range, options),
    stat: async (key, options) => (key === info.key ? info : store.stat(key, options)),
    presign: async () => undefined,
  };
}

function endOf({ bytes }: BlobInfo, range: { readonly offset: number; readonly length?: number } | undefined): number {
  return range?.length === undefined ? bytes : Math.min(bytes, range.offset + range.length);
}

async function* pieces(copy: CopyFile, from: number, end: number): AsyncGenerator<Uint8Array> {
  for (let offset = from; offset < end; offset += pieceBytes)
    yield await copy.read(offset, Math.min(pieceBytes, end - offset));
}
