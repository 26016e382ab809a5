// SPDX-License-Identifier: Apache-2.0
import { compareMinors, parseVersion, restoreTool } from '@operator-parts/etcd';
import type { Desired } from '../../cluster/desired.ts';
import type { ClusterLimits, RestoreFacts, RestoreObservation, SourceFacts, TargetFacts } from '../observation.ts';

/** Room for the write-ahead log beside the database: two files of 64 MiB. */
const logBytes = 128 * 1024 * 1024;

/**
 * Why this cluster must not be restored from a source that is itself valid, as text; undefined if it may. Checked before anything is
 * changed (operator rules 21 to 23).
 */
export function whyUnfit(source: SourceFacts, restore: RestoreFacts, target: Target): string | undefined {
  return (
    unproven(source, restore) ??
    ofOtherCluster(source, restore, target) ??
    tooNew(source, target.desired) ??
    locked(source, target.limits) ??
    open(source, restore, target) ??
    tooBig(source, target.limits) ??
    tooHigh(source, restore)
  );
}

/** Why keys of a valid source must not be written to an existing cluster. */
export function whyNotTaken(source: SourceFacts, restore: RestoreFacts): string | undefined {
  return unproven(source, restore) ?? ofOtherCluster(source, restore, { exists: true });
}

/** The cluster that is restored from the source. */
export interface Target {
  /** False if the cluster has still to be created. */
  readonly exists: boolean;
  readonly desired: Desired;
  readonly limits: ClusterLimits;
}

function unproven({ verified }: SourceFacts, { requireManifest, isEncrypted }: RestoreFacts): string | undefined {
  if (!requireManifest || verified === 'Manifest') return undefined;
  const why = isEncrypted
    ? 'is missing, does not match the backup, or was not authenticated with the key of spec.encryption'
    : 'is missing or does not match the backup';
  return `spec.requireManifest is true, but the manifest of the backup ${why}. Restore another backup, or set spec.requireManifest to false`;
}

/**
 * Every backup may be restored into a cluster that does not exist yet: no data can be lost. An encrypted backup of an unknown cluster
 * counts as foreign: otherwise anyone could have it restored into any cluster by removing its manifest.
 */
function ofOtherCluster(
  { cluster }: SourceFacts,
  { acceptForeign, clusterName, isEncrypted, survivor }: RestoreFacts,
  { exists }: Pick<Target, 'exists'>,
): string | undefined {
  if (!exists || acceptForeign || cluster?.name === clusterName) return undefined;
  if (!cluster) {
    if (!isEncrypted || survivor) return undefined;
    return `the backup has no manifest that was authenticated with the key of spec.encryption, so the backup may come from a cluster other than ${clusterName}. To restore the backup anyway, set spec.acceptForeign to true`;
  }
  return `the backup was taken from cluster ${cluster.name}, not from cluster ${clusterName}. To restore the backup anyway, set spec.acceptForeign to true`;
}

/** An older etcd cannot open a newer database. Files of 3.5 and older do not contain their version. */
function tooNew({ storageVersion, cluster, etcdVersion }: SourceFacts, { version }: Desired): string | undefined {
  const wants = parseVersion(version);
  const has = parseVersion(storageVersion ?? cluster?.version ?? etcdVersion ?? '');
  if (!wants || !has || compareMinors(has, wants) <= 0) return undefined;
  return `etcd ${version} cannot read this backup, because it was taken with etcd ${has.major}.${has.minor}. Raise spec.version of the EtcdCluster`;
}

function locked({ authEnabled }: SourceFacts, { hasLogin }: ClusterLimits): string | undefined {
  if (!authEnabled || hasLogin) return undefined;
  return 'authentication is enabled in the backup, but the EtcdCluster has no login. Set spec.auth.secret of the EtcdCluster to a Secret with username and password';
}

/**
 * Data from before authentication was enabled has no users: whoever reaches the restored cluster could read and change all of it. This is
 * not checked for the data of a survivor or of a running cluster: such data is present data, with its users.
 */
function open(
  { authEnabled, verified }: SourceFacts,
  { acceptWithoutAuth }: RestoreFacts,
  { exists, limits }: Target,
): string | undefined {
  const isPresent = verified === 'Survivor' || verified === 'Live';
  if (authEnabled || acceptWithoutAuth || isPresent || !exists || !limits.hasLogin) return undefined;
  return 'authentication is not enabled in the backup, and spec.auth of the EtcdCluster names a user: the restored cluster would serve clients without a login. To restore the backup anyway, set spec.acceptWithoutAuth to true, and enable authentication afterwards';
}

function tooBig({ bytes }: SourceFacts, { quotaBytes, volumeBytes }: ClusterLimits): string | undefined {
  if (bytes > quotaBytes) {
    return `the backup has ${bytes} bytes, but the database quota is ${quotaBytes} bytes. Raise ETCD_QUOTA_BACKEND_BYTES in spec.pod.etcdEnv`;
  }
  if (volumeBytes !== undefined && bytes + logBytes > volumeBytes) {
    return `the backup has ${bytes} bytes and needs ${logBytes} more for the write-ahead log (WAL) of etcd, but each volume has only ${volumeBytes} bytes. Request larger volumes`;
  }
  return undefined;
}

/** Larger numbers are not exact. Writes alone do not reach this revision, but each restore raises revisions. */
const highestRevision = Number.MAX_SAFE_INTEGER;

function tooHigh(source: SourceFacts, { revisionBump }: RestoreFacts): string | undefined {
  const reached = source.revision + bumpForTool(source, revisionBump, source.revision);
  if (reached <= highestRevision) return undefined;
  return `the restored cluster could begin at revision ${reached}, which is too high. Set spec.revisionBump to 0`;
}

/**
 * The highest revision that clients have seen: that of the status, or what the old members reported when they were isolated, whichever is
 * higher.
 */
export function seenRevision({ restore }: RestoreObservation, { marker }: TargetFacts): number {
  return Math.max(marker?.from?.revision ?? 0, restore.safety?.revision ?? 0);
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
 * The revision to begin with. It is above the revision of the backup, and above every revision that clients have seen of the previous
 * incarnation. Otherwise two restores of the same old backup would begin at the same revision.
 */
function raised({ revision }: SourceFacts, revisionBump: number, above: number): number {
  return revisionBump === 0 ? revision : Math.max(revision, above) + revisionBump;
}

/**
 * The bump to pass to etcd's tool, so that revisions are raised by the requested number. The tool counts from the newest entry, and the
 * revision of the store may be higher, for example if the store has no entries, or if the last deletions were compacted.
 */
export function bumpForTool(source: SourceFacts, revisionBump: number, above: number): number {
  const { revision, verified } = source;
  // The newest entry is not known exactly, because a member's database changes while it is read, or is not read at all. Counting from the
  // lowest possible value makes the result high enough.
  const isUnread = verified === 'Survivor' || verified === 'Live';
  const { newestEntry = isUnread ? 0 : revision } = source;
  return revisionBump === 0 ? 0 : raised(source, revisionBump, above) - newestEntry;
}
