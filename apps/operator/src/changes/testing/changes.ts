// SPDX-License-Identifier: Apache-2.0
import type { RevisionChanges } from '../revision-changes.ts';
import { type SealedSegment, SegmentBuilder } from '../segment.ts';
import type { SegmentBefore } from '../segment-header.ts';

/** A revision that puts one key. */
export function put(revision: bigint, at = 1_000, value = `value ${revision}`): RevisionChanges {
  const kv = { key: Buffer.from('k'), createRevision: 2n, modRevision: revision, version: revision - 1n, lease: 0n };
  return { revision, at, events: [{ type: 'put', kv: { ...kv, value: Buffer.from(value) } }] };
}

export const fromSnapshot = (revision: bigint): SegmentBefore => ({
  kind: 'snapshot',
  name: 'backup_v1',
  revision,
  sha256: 'ab'.repeat(32),
});

/** A sealed segment with these revisions. */
export function segmentOf(
  changes: readonly RevisionChanges[],
  about: { readonly before?: SegmentBefore; readonly leases?: ReadonlyMap<bigint, number> } = {},
): SealedSegment {
  const from = changes[0]?.revision ?? 0n;
  const builder = new SegmentBuilder(from);
  for (const one of changes) builder.add(one);
  const { before = fromSnapshot(from - 1n), leases = new Map() } = about;
  return builder.seal({ clusterId: 'cdf818194e3a8c32', before, leases });
}

export async function* inPieces(bytes: Uint8Array, length = bytes.byteLength): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += length) yield bytes.subarray(at, at + length);
}
