// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { BlobStore } from '@operator-parts/blob';
import { periodicKey } from '../../backup/plan/backup-names.ts';
import type { RevisionChanges } from '../../changes/revision-changes.ts';
import { SegmentBuilder } from '../../changes/segment.ts';
import type { SegmentBefore, UnrecordedRevisions } from '../../changes/segment-header.ts';
import { segmentKey } from '../../changes/segment-names.ts';
import { encryptBody, newFileCipher } from '../../storage/encryption/encrypt-body.ts';
import type { KeyProvider } from '../../storage/encryption/key-provider.ts';
import { withMac } from '../../storage/encryption/manifest-mac.ts';
import { type Manifest, manifestPath, renderManifest } from '../../storage/manifest.ts';

/** A store with the full backups and change segments of an EtcdBackup. The test writes them, instead of the backup operator. */
export class RecordedSeries {
  readonly #store: Pick<BlobStore, 'put'>;
  readonly #base: string;
  readonly #clusterId: string;
  readonly #keys: KeyProvider | undefined;
  #before: SegmentBefore | undefined;

  constructor(store: Pick<BlobStore, 'put'>, base: string, clusterId: string, keys?: KeyProvider) {
    this.#store = store;
    this.#base = base;
    this.#clusterId = clusterId;
    this.#keys = keys;
  }

  /** A full backup with its manifest. Resolves with its key. */
  async snapshot(content: Buffer, revision: bigint, time: number, cluster?: Manifest['cluster']): Promise<string> {
    const key = periodicKey(this.#base, revision, time);
    const stored = await this.#put(key, [content]);
    const [own, inner] = [summary(stored), summary(content)];
    const manifest = {
      etcdVersion: '3.6.16',
      revision: Number(revision),
      ...own,
      clusterId: this.#clusterId,
      time: `${new Date(time).toISOString().slice(0, 19)}Z`,
      ...(cluster && { cluster }),
      ...(this.#keys && {
        encryption: {
          algorithm: 'AES-256-GCM' as const,
          keyId: this.#keys.keyId,
          contentBytes: inner.bytes,
          contentSha256: inner.sha256,
        },
      }),
    };
    const { signal } = new AbortController();
    await this.#store.put(manifestPath(key), once([renderManifest(await withMac(manifest, this.#keys, signal))]));
    const name = key.slice(key.lastIndexOf('/') + 1);
    this.#before = { kind: 'snapshot', name, revision, sha256: inner.sha256 };
    return key;
  }

  /** A segment of changes that follows the previous one. Resolves with its key. */
  async segment(
    changes: readonly RevisionChanges[],
    leases: ReadonlyMap<bigint, number> = new Map(),
    late?: UnrecordedRevisions,
  ): Promise<string> {
    if (!this.#before) throw new TypeError('a series begins with a full backup');
    const builder = new SegmentBuilder(changes[0]?.revision ?? 0n);
    for (const change of changes) builder.add(change);
    const sealed = builder.seal({ clusterId: this.#clusterId, before: this.#before, leases, late });
    const key = segmentKey(this.#base, sealed.header);
    await this.#put(key, sealed.pieces);
    this.#before = { kind: 'segment', history: sealed.history };
    return key;
  }

  async #put(key: string, pieces: readonly Uint8Array[]): Promise<Buffer> {
    const { signal } = new AbortController();
    const body = this.#keys ? encryptBody(once(pieces), await newFileCipher(this.#keys, signal)) : once(pieces);
    const stored: Uint8Array[] = [];
    for await (const piece of body) stored.push(Buffer.from(piece));
    await this.#store.put(key, once(stored));
    return Buffer.concat(stored);
  }
}

function summary(bytes: Buffer): { readonly bytes: number; readonly sha256: string } {
  return { bytes: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') };
}

async function* once(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
