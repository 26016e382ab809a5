// SPDX-License-Identifier: Apache-2.0
import { checkSnapshot, SnapshotError } from '@operator-parts/etcd';
import type { Manifest } from '../../storage/manifest.ts';
import type { Measured } from '../delivery/measure.ts';
import type { SourceFacts } from '../observation.ts';

/** The expected properties of the source, as far as they are known. */
export interface Expected {
  /** The manifest beside the source. Untrusted: it counts only if it matches. */
  readonly manifest: Manifest | undefined;
  /** True to also accept a file without a hash at its end. */
  readonly acceptWithoutHash: boolean;
}

export type Verdict = Pick<SourceFacts, 'bytes' | 'sha256' | 'cluster' | 'etcdVersion'> & {
  readonly verified: 'Manifest' | 'Embedded' | 'Nothing';
};

/**
 * Compares what was read with what is expected: the hash at its end, and the manifest beside it (operator rule 21). No other code decides
 * whether a source is valid, no matter whether the operator or the agent has read the data. Throws a `SnapshotError` for data that must not
 * be restored.
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

/** True if a check of the hash passes, false for a file without a hash if that is accepted; any other error of the check is rethrown. */
export function holds(check: () => void, acceptWithoutHash: boolean): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof SnapshotError && error.code === 'NoHash' && acceptWithoutHash) return false;
    throw error;
  }
}

/** The cluster according to a manifest. To be called only if the manifest belongs to the bytes of the source. */
export function clusterOf({ cluster }: Manifest): SourceFacts['cluster'] {
  if (!cluster) return undefined;
  const { name, size, version, storage } = cluster;
  return { name, size, version, ...(storage && { storage }) };
}
