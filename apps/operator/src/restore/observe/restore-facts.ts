// SPDX-License-Identifier: Apache-2.0
import { hasFinalizer, isBeingDeleted } from '@operator-parts/controller-runtime';
import { type EtcdRestore, type EtcdRestoreStatus, etcdRestores } from '../../api/etcd-restore.ts';
import { group } from '../../api/names.ts';
import { specTypeErrors } from '../../api/type-errors.ts';
import { unknownSpecFields } from '../../api/unknown-fields.ts';
import { durationOf } from '../../spec-values.ts';
import type { PrefixFacts, RestoreFacts, SafetyFacts, SafetySnapshotPolicy, SourceFacts } from '../observation.ts';

/** The finalizer that keeps an EtcdRestore until its changes are completed or rolled back. */
export const restoreFinalizer = `${group}/restore`;

/** More revisions than a busy cluster writes in a week. */
const defaultBump = 1_000_000_000;
const defaultTimeout = 3_600_000;

/** What the planner needs to know about an EtcdRestore. */
export function restoreFacts(restore: EtcdRestore): RestoreFacts {
  const { metadata = {}, status } = restore;
  const { spec, typeErrors } = readSpec(restore);
  const generation = metadata.generation ?? 0;
  return {
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    uid: metadata.uid ?? '',
    generation,
    deleting: isBeingDeleted(restore),
    hasFinalizer: hasFinalizer(restore, restoreFinalizer),
    typeErrors,
    unknownFields: unknownSpecFields(etcdRestores, restore.spec),
    clusterName: spec.etcdCluster.name,
    ...presentData(spec),
    pointInTime: spec.pointInTime,
    prefixes: prefixFacts(spec, status),
    retention: durationOf(spec.oldVolumes?.retention),
    requireManifest: spec.requireManifest ?? false,
    acceptForeign: spec.acceptForeign ?? false,
    acceptWithoutAuth: spec.acceptWithoutAuth ?? false,
    isEncrypted: Boolean(spec.encryption),
    revisionBump: spec.revisionBump ?? defaultBump,
    timeout: durationOf(spec.timeout) ?? defaultTimeout,
    clusterSpec: spec.clusterSpec ?? undefined,
    ended: endOf(status, generation),
    failure: status?.failure?.generation === generation ? status.failure.message : undefined,
    source: status?.source?.generation === generation ? sourceOf(status.source) : undefined,
    safety: status?.safetySnapshot?.generation === generation ? safetyOf(status) : undefined,
    ...endFacts(status),
    ...startFacts(status, generation),
  };
}

/** If fields of the spec have a wrong type, only the name of the EtcdCluster is used. */
function readSpec({ spec }: EtcdRestore): Pick<EtcdRestore, 'spec'> & { readonly typeErrors: readonly string[] } {
  const typeErrors = specTypeErrors(etcdRestores, spec);
  return { typeErrors, spec: typeErrors.length === 0 ? spec : { etcdCluster: { name: clusterNameOf(spec) } } };
}

/** The name of the EtcdCluster in a spec; empty if the spec names none. The spec may have been stored before the CRD had a schema. */
export function clusterNameOf(spec: Partial<EtcdRestore['spec']> | undefined): string {
  const name: unknown = spec?.etcdCluster?.name;
  return typeof name === 'string' ? name : '';
}

function presentData({
  source,
  safetySnapshot,
}: EtcdRestore['spec']): Pick<RestoreFacts, 'survivor' | 'cloneOf' | 'safetySnapshot'> {
  const { survivor, cluster } = source ?? {};
  // The cluster does not exist yet, so there is no data to save.
  if (cluster !== undefined) return { survivor: undefined, cloneOf: cluster, safetySnapshot: 'Never' };
  // The data that would be saved is the source itself.
  return survivor
    ? { survivor: { member: survivor.member }, safetySnapshot: 'Never' }
    : { survivor: undefined, safetySnapshot: policyOf(safetySnapshot) };
}

/** Facts that the status recorded for this generation; those of an earlier generation do not apply. */
function startFacts(
  status: EtcdRestoreStatus | undefined,
  generation: number,
): Pick<RestoreFacts, 'revision' | 'startedAt'> {
  const { revision, startedAt = '' } = status?.observedGeneration === generation ? status : {};
  return { revision, startedAt: Date.parse(startedAt) || 0 };
}

function endFacts(status: EtcdRestoreStatus | undefined): Pick<RestoreFacts, 'listedVolumes' | 'completedAt'> {
  return {
    listedVolumes: status?.oldVolumes?.names ?? [],
    completedAt: Date.parse(status?.completedAt ?? '') || 0,
  };
}

/** A value that cannot be read selects the safest policy. */
function policyOf(wanted: EtcdRestore['spec']['safetySnapshot']): SafetySnapshotPolicy {
  if (wanted === false) return 'Never';
  return wanted === 'IfPossible' ? 'IfPossible' : 'Required';
}

function prefixFacts(
  { prefixes, dryRun = false, onConflict, pointInTime }: EtcdRestore['spec'],
  status: EtcdRestoreStatus | undefined,
): PrefixFacts | undefined {
  if (!prefixes) return undefined;
  const recorded = comparisonOf(status?.prefixes);
  const asked = pointInTime && (pointInTime.time ?? `revision ${pointInTime.revision}`);
  return { wanted: prefixes, isDryRun: dryRun, overwrites: onConflict === 'Overwrite', asked, recorded };
}

function comparisonOf(recorded: EtcdRestoreStatus['prefixes']): PrefixFacts['recorded'] {
  if (!recorded) return undefined;
  const { generation, sha256, compared, clusterID, revision, puts, creates, leased, deletes, unchanged } = recorded;
  const { putBytes = 0, warning, pointInTime } = recorded;
  const counts = { puts, creates, leased, putBytes, deletes, unchanged, ...(warning !== undefined && { warning }) };
  const point = pointInTime && { point: pointInTime };
  return { generation, sha256, prefixes: compared, clusterId: clusterID, revision, ...counts, ...point };
}

/** True if an earlier generation was a dry run, which only counted keys. Then the changed spec has still to be carried out. */
function isDryRunBefore({ prefixes }: EtcdRestoreStatus, generation: number): boolean {
  return prefixes?.dryRun === true && prefixes.generation !== generation;
}

/** A restore that succeeded is never repeated. A failed restore begins again when its spec is corrected. */
function endOf(status: EtcdRestoreStatus | undefined, generation: number): RestoreFacts['ended'] {
  if (!status || (status.succeeded && isDryRunBefore(status, generation))) return undefined;
  // An object that the CoreOS etcd-operator has handled has a reason and no phase. That operator never changed it again.
  if (status.phase === undefined && status.reason) return 'failed';
  if (status.succeeded) return 'succeeded';
  return status.phase === 'Failed' && status.observedGeneration === generation ? 'failed' : undefined;
}

function sourceOf(source: NonNullable<EtcdRestoreStatus['source']>): SourceFacts {
  const { path, bytes, sha256, revision, newestEntry, storageVersion, authEnabled, verified, cluster, etcdVersion } =
    source;
  const facts = { path, bytes, sha256, revision, newestEntry, storageVersion, authEnabled, verified };
  return {
    ...facts,
    cluster,
    etcdVersion,
    ...(source.clusterID !== undefined && { clusterID: source.clusterID }),
    ...(source.survivor && { survivor: source.survivor }),
    ...(source.pointInTime && { pointInTime: source.pointInTime }),
  };
}

function safetyOf({ safetySnapshot }: EtcdRestoreStatus): SafetyFacts | undefined {
  if (!safetySnapshot) return undefined;
  const { path, revision = 0, bytes = 0, current = false, members = [], skipped } = safetySnapshot;
  const round = safetySnapshot.round !== undefined && { round: safetySnapshot.round };
  // A snapshot that is not recorded as current may be older than the data of other members.
  if (path !== undefined) return { kind: 'kept', path, revision, bytes, isCurrent: current, members, ...round };
  return { kind: 'skipped', why: skipped ?? '', ...(revision > 0 && { revision }), ...round };
}
