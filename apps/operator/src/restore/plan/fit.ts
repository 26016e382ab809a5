// SPDX-License-Identifier: Apache-2.0
import { compareMinors, parseVersion, restoreTool } from '@etcd-operator/etcd';
import type { Desired } from '../../cluster/desired.ts';
import type { ClusterLimits, RestoreFacts, SourceFacts } from '../observation.ts';

/** Room for the write-ahead log beside the database: two files of 64 MiB. */
const logBytes = 128 * 1024 * 1024;

/**
 * Why a source that is sound in itself must not become this cluster, in words; undefined if it may. Asked before anything is
 * touched (operator rules 21 to 23).
 */
export function whyUnfit(source: SourceFacts, restore: RestoreFacts, target: Target): string | undefined {
  return (
    unproven(source, restore) ??
    foreign(source, restore, target) ??
    tooNew(source, target.desired) ??
    locked(source, target.limits) ??
    tooBig(source, target.limits)
  );
}

/** What the source would become. */
export interface Target {
  /** False if it has still to be made. */
  readonly exists: boolean;
  readonly desired: Desired;
  readonly limits: ClusterLimits;
}

function unproven({ verified }: SourceFacts, { requireManifest }: RestoreFacts): string | undefined {
  return requireManifest && verified !== 'Manifest'
    ? 'the backup has no manifest that fits it, and spec.requireManifest asks for one'
    : undefined;
}

/** Into a cluster that is not there yet every backup may go: nothing can be lost. */
function foreign(
  { cluster }: SourceFacts,
  { acceptForeign, clusterName }: RestoreFacts,
  { exists }: Target,
): string | undefined {
  if (!exists || !cluster || acceptForeign || cluster.name === clusterName) return undefined;
  return `the backup is of cluster ${cluster.name}, not of ${clusterName}: set spec.acceptForeign if that is meant`;
}

/** An older etcd cannot open a newer database. Files of 3.5 and older do not say which they are. */
function tooNew({ storageVersion, cluster }: SourceFacts, { version }: Desired): string | undefined {
  const wants = parseVersion(version);
  const has = parseVersion(storageVersion ?? cluster?.version ?? '');
  if (!wants || !has || compareMinors(has, wants) <= 0) return undefined;
  return `the backup is of etcd ${has.major}.${has.minor}, which ${version} cannot read: raise spec.version of the EtcdCluster`;
}

function locked({ authEnabled }: SourceFacts, { hasLogin }: ClusterLimits): string | undefined {
  if (!authEnabled || hasLogin) return undefined;
  return 'authentication is enabled in the backup: name a Secret with username and password in spec.auth of the EtcdCluster';
}

function tooBig({ bytes }: SourceFacts, { quotaBytes, volumeBytes }: ClusterLimits): string | undefined {
  if (bytes > quotaBytes) {
    return `the backup has ${bytes} bytes, and etcd would allow its database ${quotaBytes}: raise ETCD_QUOTA_BACKEND_BYTES`;
  }
  if (volumeBytes !== undefined && bytes + logBytes > volumeBytes) {
    return `the backup has ${bytes} bytes, which do not fit volumes of ${volumeBytes} with etcd's log beside them`;
  }
  return undefined;
}

/** The revision that the restored member must begin with. */
export function expectedRevision(
  source: SourceFacts,
  { revisionBump }: RestoreFacts,
  { version }: Desired,
  above: number,
): number {
  const parsed = parseVersion(version);
  return parsed && restoreTool(parsed).bumpsRevision ? raised(source, revisionBump, above) : source.revision;
}

/**
 * Above the backup, and above what clients have seen of the life before: an old backup may be restored again and again, and
 * would begin each time where the life before began.
 */
function raised({ revision }: SourceFacts, revisionBump: number, above: number): number {
  return revisionBump === 0 ? revision : Math.max(revision, above) + revisionBump;
}

/**
 * What etcd's tool has to be told, so that revisions are raised by what was asked for. It counts from the newest entry, and
 * a store may be ahead of that: nothing was ever written to it, or what was deleted last has been compacted away.
 */
export function bumpForTool(source: SourceFacts, revisionBump: number, above: number): number {
  const { revision, newestEntry = revision } = source;
  return revisionBump === 0 ? 0 : raised(source, revisionBump, above) - newestEntry;
}
