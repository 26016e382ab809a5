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
    tooBig(source, target.limits) ??
    tooHigh(source, restore)
  );
}

/** Why keys of a source that is sound in itself must not be written to a cluster that is there. */
export function whyNotTaken(source: SourceFacts, restore: RestoreFacts): string | undefined {
  return unproven(source, restore) ?? foreign(source, restore, { exists: true });
}

/** What the source would become. */
export interface Target {
  /** False if it has still to be made. */
  readonly exists: boolean;
  readonly desired: Desired;
  readonly limits: ClusterLimits;
}

function unproven({ verified }: SourceFacts, { requireManifest, isEncrypted }: RestoreFacts): string | undefined {
  if (!requireManifest || verified === 'Manifest') return undefined;
  const why = isEncrypted
    ? 'is missing, does not match it, or was not written with the key of spec.encryption'
    : 'is missing or does not match it';
  return `the manifest of the backup ${why}, and spec.requireManifest is true`;
}

/**
 * Into a cluster that is not there yet every backup may go: nothing can be lost. Of an encrypted one, not to know whose it is counts as
 * foreign: else it would be enough to remove its manifest.
 */
function foreign(
  { cluster }: SourceFacts,
  { acceptForeign, clusterName, isEncrypted, survivor }: RestoreFacts,
  { exists }: Pick<Target, 'exists'>,
): string | undefined {
  if (!exists || acceptForeign || cluster?.name === clusterName) return undefined;
  if (!cluster) {
    if (!isEncrypted || survivor) return undefined;
    return `no manifest that was written with the key of spec.encryption says that the backup was taken from cluster ${clusterName}. To restore it anyway, set spec.acceptForeign to true`;
  }
  return `the backup was taken from cluster ${cluster.name}, not from ${clusterName}. To restore it anyway, set spec.acceptForeign to true`;
}

/** An older etcd cannot open a newer database. Files of 3.5 and older do not say which they are. */
function tooNew({ storageVersion, cluster, etcdVersion }: SourceFacts, { version }: Desired): string | undefined {
  const wants = parseVersion(version);
  const has = parseVersion(storageVersion ?? cluster?.version ?? etcdVersion ?? '');
  if (!wants || !has || compareMinors(has, wants) <= 0) return undefined;
  return `the backup was taken with etcd ${has.major}.${has.minor}, and etcd ${version} cannot read it: raise spec.version of the EtcdCluster`;
}

function locked({ authEnabled }: SourceFacts, { hasLogin }: ClusterLimits): string | undefined {
  if (!authEnabled || hasLogin) return undefined;
  return 'authentication is enabled in the backup: set spec.auth.secret of the EtcdCluster to a Secret with username and password';
}

function tooBig({ bytes }: SourceFacts, { quotaBytes, volumeBytes }: ClusterLimits): string | undefined {
  if (bytes > quotaBytes) {
    return `the backup has ${bytes} bytes, but the database quota is ${quotaBytes}: raise ETCD_QUOTA_BACKEND_BYTES in spec.pod.etcdEnv`;
  }
  if (volumeBytes !== undefined && bytes + logBytes > volumeBytes) {
    return `the backup has ${bytes} bytes and needs ${logBytes} more for etcd's write-ahead log, but the volumes have ${volumeBytes}: request larger volumes`;
  }
  return undefined;
}

/** Revisions are exact up to this number. Writes alone do not reach it, but each restore raises revisions. */
const highestRevision = Number.MAX_SAFE_INTEGER;

function tooHigh(source: SourceFacts, { revisionBump }: RestoreFacts): string | undefined {
  const reached = source.revision + bumpForTool(source, revisionBump, source.revision);
  if (reached <= highestRevision) return undefined;
  return `the restored cluster would begin at a revision of up to ${reached}, which is too high: set spec.revisionBump to 0`;
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
 * The bump to pass to etcd's tool, so that revisions are raised by the requested number. It counts from the newest entry, and a store may
 * be ahead of that: nothing was ever written to it, or what was deleted last has been compacted away.
 */
export function bumpForTool(source: SourceFacts, revisionBump: number, above: number): number {
  const { revision, verified } = source;
  // A member's database goes on while it is read, or nobody reads it: from the lowest that its newest entry may be, the result is high
  // enough.
  const isUnread = verified === 'Survivor' || verified === 'Live';
  const { newestEntry = isUnread ? 0 : revision } = source;
  return revisionBump === 0 ? 0 : raised(source, revisionBump, above) - newestEntry;
}
