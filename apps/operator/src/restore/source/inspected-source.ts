// SPDX-License-Identifier: Apache-2.0
import type { BlobInfo } from '@operator-parts/blob';
import { readSnapshotFacts, type SnapshotFacts } from '@operator-parts/etcd';
import type { BackupReader } from '../../storage/encryption/backup-reader.ts';
import type { KeyProvider } from '../../storage/encryption/key-provider.ts';
import { isAuthentic } from '../../storage/encryption/manifest-mac.ts';
import { contentManifest, type Manifest } from '../../storage/manifest.ts';
import { rangedReader } from '../../storage/ranged-reader.ts';
import { readManifest } from '../../storage/read-manifest.ts';
import type { StoragePlace } from '../../storage/storage-place.ts';
import type { Measured } from '../delivery/measure.ts';
import type { SourceFacts } from '../observation.ts';
import { RestoreError } from '../restore-error.ts';
import { judge } from './judge.ts';

/** Where a source is stored, and how to read its content. */
export interface Source {
  readonly store: BackupReader;
  readonly place: StoragePlace;
  /** Undefined: the spec names no key. */
  readonly keys: KeyProvider | undefined;
}

/** The result of inspecting a source, before it is read to its end. */
export interface InspectedSource {
  readonly info: BlobInfo;
  /** The manifest's facts about the content; undefined also for a manifest that was not written with the key of the spec. */
  readonly manifest: Manifest | undefined;
}

/** Inspects the object and the manifest beside it. */
export async function inspectStored({ store, place, keys }: Source, signal: AbortSignal): Promise<InspectedSource> {
  const [info, manifest] = await Promise.all([
    store.stat(place.key, { signal }),
    readManifest(store, place.key, signal),
  ]);
  // Anyone who may write to the store may have changed a manifest that is not authenticated with the key.
  const counts = manifest && (!keys || (await isAuthentic(manifest, keys, signal)));
  return { info, manifest: counts ? contentManifest(manifest) : undefined };
}

/** What the database contains about itself, from a few small reads. */
export type DatabaseFacts = Pick<SourceFacts, 'revision' | 'newestEntry' | 'storageVersion' | 'authEnabled'>;

export async function readDatabaseFacts({ store, place }: Source, signal: AbortSignal): Promise<DatabaseFacts> {
  const facts = await readSnapshotFacts(rangedReader(store, place.key, signal));
  if (facts.revision > BigInt(Number.MAX_SAFE_INTEGER))
    throw new RestoreError(
      'SourceRefused',
      `${place.path} cannot be restored: its revision ${facts.revision} is too high to be valid`,
    );
  return databaseFacts(facts);
}

function databaseFacts({ revision, newestEntry, storageVersion, authEnabled }: SnapshotFacts): DatabaseFacts {
  return {
    revision: Number(revision),
    ...(newestEntry !== revision && { newestEntry: Number(newestEntry) }),
    storageVersion,
    authEnabled,
  };
}

export interface Reading {
  /** The result of the inspection before the first byte was read. */
  readonly inspected: InspectedSource;
  /** What was received, by the operator or by the agent. */
  readonly measured: Measured;
  readonly facts: () => Promise<DatabaseFacts>;
  readonly acceptWithoutHash: boolean;
}

/**
 * Completes a read: checks that the received data is valid, and that the object was not replaced after its inspection. Rejects with a
 * `SnapshotError` or `RestoreError` for data that must not be restored.
 */
export async function finishSourceRead(
  { store, place }: Source,
  { inspected, measured, facts, acceptWithoutHash }: Reading,
  signal: AbortSignal,
): Promise<SourceFacts> {
  const { path } = place;
  const verdict = judge(measured, { manifest: inspected.manifest, acceptWithoutHash });
  const { info: before } = inspected;
  // If the object is being replaced, reading the facts fails. Then the replacement is reported, and not this error.
  const found = await facts().catch((error: unknown) => ({ error }));
  const after = await store.stat(place.key, { signal });
  if (after.etag !== before.etag || after.bytes !== before.bytes || measured.bytes !== after.bytes)
    throw new RestoreError(
      'SourceReplaced',
      `the backup ${path} was replaced in the backup store while the restore was reading it`,
    );
  if ('error' in found) throw found.error;
  return { path, ...found, ...verdict };
}
