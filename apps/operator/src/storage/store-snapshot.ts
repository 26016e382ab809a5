// SPDX-License-Identifier: Apache-2.0
import { BlobError, type BlobStore, type BodySummary } from '@operator-parts/blob';
import {
  type MemberClient,
  type MemberStatus,
  readSnapshotFacts,
  type SnapshotFacts,
  verifySnapshot,
} from '@operator-parts/etcd';
import type { OwnWork } from './attempt.ts';
import { openBackup } from './encryption/backup-reader.ts';
import { encryptBody, newFileCipher } from './encryption/encrypt-body.ts';
import type { KeyProvider } from './encryption/key-provider.ts';
import type { ManifestEncryption } from './manifest.ts';
import { putVerified } from './put-verified.ts';
import { rangedReader } from './ranged-reader.ts';

/** The member that a snapshot is taken from, and its revision when it was chosen. */
export interface SnapshotSource {
  readonly client: MemberClient;
  readonly status: Pick<MemberStatus, 'revision'>;
}

export interface StoreSnapshotOptions {
  readonly signal: AbortSignal;
  readonly onBytes: (bytesRead: number, bytesStored: number) => void;
  /** Identifies the stored object as the work of this attempt. */
  readonly own?: OwnWork;
  /** The key that encrypts the snapshot. @default undefined: the snapshot is stored unencrypted */
  readonly keys?: KeyProvider | undefined;
}

/** A snapshot that was sent to the store. */
interface SentSnapshot extends BodySummary {
  readonly encryption?: ManifestEncryption;
}

/** A snapshot whose stored bytes are certainly those that etcd sent. */
export interface StoredSnapshot extends SentSnapshot {
  readonly facts: SnapshotFacts;
}

/**
 * Streams a member's snapshot into a store and verifies the stored object. Before the object becomes visible, the hash at the end of
 * the snapshot is checked (safety rule 10, operator rule 20). Then the store's own checksum, or reading the object back, shows that every
 * byte was stored. Last, its revision must not be lower than the member's revision at the beginning. Rejects if one of these checks
 * fails; the caller must then delete the stored object.
 */
export async function storeSnapshot(
  store: BlobStore,
  key: string,
  { client, status }: SnapshotSource,
  options: StoreSnapshotOptions,
): Promise<StoredSnapshot> {
  const { signal, keys } = options;
  const sent = await send(store, key, client, options);
  const reader = keys ? await openBackup(store, { key, keys }, signal) : store;
  const facts = await readSnapshotFacts(rangedReader(reader, key, signal));
  if (facts.revision < status.revision) {
    const message = `the stored object ${key} has revision ${facts.revision}, but the member had already reached revision ${status.revision} before the snapshot`;
    // Every byte was verified before, so the store has now returned another object, for example from a cache. That is no reason to delete
    // the stored object.
    throw new BlobError('Unavailable', message);
  }
  return { ...sent, facts };
}

async function send(
  store: BlobStore,
  key: string,
  { maintenance }: MemberClient,
  { signal, onBytes, own, keys }: StoreSnapshotOptions,
): Promise<SentSnapshot> {
  let snapshot: BodySummary | undefined;
  let stored: BodySummary | undefined;
  const verified = verifySnapshot(maintenance.snapshot({ reuse: true, signal }), ({ bytes, wholeSha256 }) => {
    snapshot = { bytes, sha256: wholeSha256 };
  });
  const etag = await putVerified(
    store,
    key,
    keys ? encryptBody(verified, await newFileCipher(keys, signal)) : verified,
    {
      signal,
      ...(own && { mark: own.mark }),
      // An encrypted object has another hash than its snapshot, and `put` computes that hash.
      ...(!keys && { sha256: () => snapshot?.sha256 ?? '' }),
      verify: (summary) => {
        stored = summary;
      },
      onProgress: ({ bytesRead, bytesStored }) => onBytes(bytesRead, bytesStored),
    },
  );
  own?.stored(etag);
  if (!snapshot || !stored)
    throw new BlobError('Unknown', `the snapshot was not read completely while ${key} was being stored`);
  if (!keys) return stored;
  const content = { contentBytes: snapshot.bytes, contentSha256: snapshot.sha256 };
  return { ...stored, encryption: { algorithm: 'AES-256-GCM', keyId: keys.keyId, ...content } };
}
