// SPDX-License-Identifier: Apache-2.0
import { hasFinalizer, isBeingDeleted } from '@etcd-operator/controller-runtime';
import type { EtcdRestore, EtcdRestoreStatus } from '../../api/etcd-restore.ts';
import { group } from '../../api/names.ts';
import { parseDuration } from '../../cluster/desired.ts';
import type { RestoreFacts, SafetyFacts, SafetySnapshotPolicy, SourceFacts } from '../observation.ts';

/** Keeps an EtcdRestore until what it has begun is finished or put back. */
export const restoreFinalizer = `${group}/restore`;

/** Covers what a busy cluster writes in a week. */
const defaultBump = 1_000_000_000;
const defaultTimeout = 3_600_000;

/** What the planner needs to know of an EtcdRestore. */
export function restoreFacts(restore: EtcdRestore): RestoreFacts {
  const { metadata = {}, spec, status } = restore;
  const generation = metadata.generation ?? 0;
  return {
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    uid: metadata.uid ?? '',
    generation,
    deleting: isBeingDeleted(restore),
    hasFinalizer: hasFinalizer(restore, restoreFinalizer),
    clusterName: spec.etcdCluster.name,
    safetySnapshot: policyOf(spec.safetySnapshot),
    retention: parseDuration(spec.oldVolumes?.retention),
    requireManifest: spec.requireManifest ?? false,
    acceptForeign: spec.acceptForeign ?? false,
    revisionBump: spec.revisionBump ?? defaultBump,
    timeout: parseDuration(spec.timeout) ?? defaultTimeout,
    clusterSpec: spec.clusterSpec ?? undefined,
    ended: endOf(status, generation),
    failure: status?.failure?.generation === generation ? status.failure.message : undefined,
    source: status?.source?.generation === generation ? sourceOf(status.source) : undefined,
    safety: status?.safetySnapshot?.generation === generation ? safetyOf(status) : undefined,
    ...endFacts(status),
    startedAt: (status?.observedGeneration === generation && Date.parse(status.startedAt ?? '')) || 0,
  };
}

function endFacts(status: EtcdRestoreStatus | undefined): Pick<RestoreFacts, 'listedVolumes' | 'completedAt'> {
  return {
    listedVolumes: status?.oldVolumes?.names ?? [],
    completedAt: Date.parse(status?.completedAt ?? '') || 0,
  };
}

/** What cannot be read asks for the safest. */
function policyOf(wanted: EtcdRestore['spec']['safetySnapshot']): SafetySnapshotPolicy {
  if (wanted === false) return 'Never';
  return wanted === 'IfPossible' ? 'IfPossible' : 'Required';
}

/** One that has succeeded is never done again; one that failed begins anew when its spec is corrected. */
function endOf(status: EtcdRestoreStatus | undefined, generation: number): RestoreFacts['ended'] {
  if (!status) return undefined;
  // Objects of the original operator say no more than this, and it never touched them again.
  if (status.phase === undefined && status.reason) return 'failed';
  if (status.succeeded) return 'succeeded';
  return status.phase === 'Failed' && status.observedGeneration === generation ? 'failed' : undefined;
}

function sourceOf(source: NonNullable<EtcdRestoreStatus['source']>): SourceFacts {
  const { path, bytes, sha256, revision, newestEntry, storageVersion, authEnabled, verified, cluster } = source;
  return { path, bytes, sha256, revision, newestEntry, storageVersion, authEnabled, verified, cluster };
}

function safetyOf({ safetySnapshot }: EtcdRestoreStatus): SafetyFacts | undefined {
  if (!safetySnapshot) return undefined;
  const { path, revision = 0, bytes = 0, current = false, members = [], skipped } = safetySnapshot;
  // One of which nobody has recorded that it is current may be older than what others hold.
  if (path !== undefined) return { kind: 'kept', path, revision, bytes, isCurrent: current, members };
  return { kind: 'skipped', why: skipped ?? '', ...(revision > 0 && { revision }) };
}
