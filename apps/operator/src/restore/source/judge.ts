// SPDX-License-Identifier: Apache-2.0
import { checkSnapshot, SnapshotError } from '@etcd-operator/etcd';
import type { Manifest } from '../../storage/manifest.ts';
import type { Measured } from '../delivery/measure.ts';
import type { SourceFacts } from '../observation.ts';

/** What a source should be, as far as anybody knows. */
export interface Expected {
  /** What lies beside it. Untrusted: it counts if it fits. */
  readonly manifest: Manifest | undefined;
  /** A file without a hash at its end is taken as well. */
  readonly acceptWithoutHash: boolean;
}

export type Verdict = Pick<SourceFacts, 'bytes' | 'sha256' | 'cluster' | 'etcdVersion'> & {
  readonly verified: 'Manifest' | 'Embedded' | 'Nothing';
};

/**
 * Compares what was read with what it should be: the hash at its end, and the manifest beside it (operator rule 21). This is the only place
 * that decides this, wherever the data was read. Throws a `SnapshotError` for what must not be restored.
 */
export function judge(measured: Measured, { manifest, acceptWithoutHash }: Expected): Verdict {
  const { bytes, sha256 } = measured;
  const hasHash = holds(() => checkSnapshot(measured), acceptWithoutHash);
  const fits = manifest?.sha256 === sha256 && manifest.bytes === bytes;
  return {
    bytes,
    sha256,
    verified: fits ? 'Manifest' : hasHash ? 'Embedded' : 'Nothing',
    cluster: fits ? clusterOf(manifest) : undefined,
    ...(fits && { etcdVersion: manifest.etcdVersion }),
  };
}

/** True if a check of the hash passes, false for a file that has none where that is accepted; else what it throws is thrown. */
export function holds(check: () => void, acceptWithoutHash: boolean): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof SnapshotError && error.code === 'NoHash' && acceptWithoutHash) return false;
    throw error;
  }
}

/** A manifest of other bytes says nothing about these. */
export function clusterOf({ cluster }: Manifest): SourceFacts['cluster'] {
  if (!cluster) return undefined;
  const { name, size, version, storage } = cluster;
  return { name, size, version, ...(storage && { storage }) };
}
