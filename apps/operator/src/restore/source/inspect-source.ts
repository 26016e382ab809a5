// SPDX-License-Identifier: Apache-2.0
import { checkSnapshotLength, SnapshotError } from '@operator-parts/etcd';
import type { JobContext } from '../jobs.ts';
import type { SourceFacts } from '../observation.ts';
import { type InspectedSource, inspectStored, readDatabaseFacts, type Source } from './inspected-source.ts';
import { clusterOf, holds } from './judge.ts';
import { verifySource } from './verify-source.ts';

/**
 * Facts about a source without reading all of it: from its length, its manifest, and a few small reads. A source that is visibly damaged is
 * still read to its end, so that the message describes the whole damage.
 */
export async function inspectSource(
  opened: Source,
  options: { readonly acceptWithoutHash: boolean },
  context: JobContext,
): Promise<SourceFacts> {
  const { signal } = context;
  try {
    const inspected = await inspectStored(opened, signal);
    holds(() => checkSnapshotLength(inspected.info.bytes), options.acceptWithoutHash);
    const facts = await readDatabaseFacts(opened, signal);
    return { path: opened.place.path, ...facts, ...promised(inspected) };
  } catch (error) {
    if (error instanceof SnapshotError) return verifySource(opened, options, context);
    throw error;
  }
}

/** A manifest with another length belongs to other bytes. If the length is the same, the hash decides at the end. */
function promised({
  info,
  manifest,
}: InspectedSource): Pick<SourceFacts, 'bytes' | 'sha256' | 'verified' | 'cluster' | 'etcdVersion'> {
  const fits = manifest?.bytes === info.bytes;
  const cluster = fits ? clusterOf(manifest) : undefined;
  const etcdVersion = fits ? manifest.etcdVersion : undefined;
  return { bytes: info.bytes, sha256: undefined, verified: 'Pending', cluster, etcdVersion };
}
