// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@operator-parts/blob';
import { type BackupReader, openBackup } from '../storage/encryption/backup-reader.ts';
import type { KeyProvider } from '../storage/encryption/key-provider.ts';
import { ChangesError } from './changes-error.ts';
import { type DecodedSegment, decodeSegment } from './segment.ts';
import { parseSegmentKey, type SegmentName, segmentsPrefix } from './segment-names.ts';

/**
 * Lists the stored change segments of a continuous backup, sorted by cluster and revision. Other objects with the same prefix are ignored.
 *
 * @param base the key of the spec's path
 */
export async function listSegments(
  store: Pick<BlobStore, 'list'>,
  base: string,
  signal: AbortSignal,
): Promise<readonly SegmentName[]> {
  const names: SegmentName[] = [];
  for await (const { key } of store.list(segmentsPrefix(base), { signal })) {
    const name = parseSegmentKey(base, key);
    if (name) names.push(name);
  }
  return names;
}

/**
 * Reads a stored segment as `decodeSegment` does, and decrypts it if there are keys. Rejects a segment that is not what its name says.
 *
 * @param keys the keys of the spec; if undefined, the segment must not be encrypted
 */
export async function readSegment(
  store: BackupReader,
  name: SegmentName,
  keys: KeyProvider | undefined,
  signal: AbortSignal,
): Promise<DecodedSegment> {
  const reader = await openBackup(store, { key: name.key, keys }, signal);
  const segment = await decodeSegment(reader.get(name.key, { offset: 0 }, { signal }));
  const { clusterId, from, to, lastAt } = segment.header;
  if (clusterId === name.clusterId && from === name.from && to === name.to && lastAt === name.lastAt) return segment;
  await segment.close();
  const found = `revisions ${from} to ${to} of cluster ${clusterId}`;
  throw new ChangesError(
    'OutOfOrder',
    `change segment ${name.key} of the continuous backup does not match its name: this segment contains ${found}`,
  );
}
