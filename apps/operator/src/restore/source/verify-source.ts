// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { BlobStore } from '@etcd-operator/blob';
import { readSnapshotFacts, SnapshotError, type VerifiedSnapshot, verifySnapshot } from '@etcd-operator/etcd';
import type { Manifest } from '../../storage/manifest.ts';
import type { OpenedStorage } from '../../storage/open-store.ts';
import { rangedReader } from '../../storage/ranged-reader.ts';
import { readManifest } from '../../storage/read-manifest.ts';
import type { JobContext } from '../jobs.ts';
import type { SourceFacts } from '../observation.ts';
import { RestoreError } from '../restore-error.ts';
import type { Kept } from './scratch.ts';

export interface VerifyOptions {
  readonly acceptWithoutHash: boolean;
  /** Begins to keep the bytes for later; undefined if there is no place for them. @default nothing is kept */
  readonly keep?: (bytes: number) => Promise<Kept | undefined>;
}

/**
 * Reads a backup to its end, in bounded memory, and compares its bytes with what they should be: the hash at their end, and
 * the manifest beside them, if there is one (operator rule 21). Rejects with a `SnapshotError` or `RestoreError` for what
 * must not be restored.
 */
export async function verifySource(
  { store, place }: OpenedStorage,
  options: VerifyOptions,
  { signal, onProgress }: JobContext,
): Promise<SourceFacts> {
  const { key } = place;
  const before = await store.stat(key, { signal });
  const manifest = await readManifest(store, key, signal);
  const kept = await options.keep?.(before.bytes);
  const whole = await readWhole(store, key, { ...options, kept }, { signal, onProgress });
  const facts = await readSnapshotFacts(rangedReader(store, key, signal));
  const after = await store.stat(key, { signal });
  if (after.etag !== before.etag || after.bytes !== before.bytes || whole.bytes !== after.bytes)
    throw new RestoreError('SourceRefused', `${place.path} was replaced while it was read`);
  if (facts.revision > BigInt(Number.MAX_SAFE_INTEGER))
    throw new RestoreError('SourceRefused', `${place.path} claims revision ${facts.revision}`);
  const fits = manifest?.sha256 === whole.sha256 && manifest.bytes === whole.bytes;
  if (!whole.hasHash && !fits && !options.acceptWithoutHash)
    throw new RestoreError('SourceRefused', `nothing shows that ${place.path} is whole`);
  return {
    path: place.path,
    bytes: whole.bytes,
    sha256: whole.sha256,
    revision: Number(facts.revision),
    ...(facts.newestEntry !== facts.revision && { newestEntry: Number(facts.newestEntry) }),
    storageVersion: facts.storageVersion,
    authEnabled: facts.authEnabled,
    verified: fits ? 'Manifest' : whole.hasHash ? 'Embedded' : 'Nothing',
    cluster: fits ? clusterOf(manifest) : undefined,
  };
}

/** A manifest of other bytes says nothing about these. */
function clusterOf({ cluster }: Manifest): SourceFacts['cluster'] {
  if (!cluster) return undefined;
  const { name, size, version, storage } = cluster;
  return { name, size, version, ...(storage && { storage }) };
}

interface Whole {
  readonly bytes: number;
  readonly sha256: string;
  readonly hasHash: boolean;
}

async function readWhole(
  store: BlobStore,
  key: string,
  { acceptWithoutHash, kept }: VerifyOptions & { readonly kept: Kept | undefined },
  { signal, onProgress }: JobContext,
): Promise<Whole> {
  // Hashed a second time only where the first may come to nothing.
  const own = acceptWithoutHash ? createHash('sha256') : undefined;
  let bytes = 0;
  const counted = async function* () {
    for await (const piece of store.get(key, undefined, { signal })) {
      own?.update(piece);
      await kept?.write(piece);
      bytes += piece.byteLength;
      onProgress(bytes);
      yield piece;
    }
  };
  let verified: VerifiedSnapshot | undefined;
  try {
    const passedOn = verifySnapshot(counted(), (snapshot) => {
      verified = snapshot;
    });
    for await (const _ of passedOn);
  } catch (error) {
    if (!(error instanceof SnapshotError && error.code === 'NoHash' && own)) {
      await kept?.drop();
      throw error;
    }
  }
  await kept?.finish();
  return { bytes, sha256: verified?.wholeSha256 ?? own?.digest('hex') ?? '', hasHash: verified !== undefined };
}
