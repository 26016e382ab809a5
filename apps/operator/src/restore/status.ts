// SPDX-License-Identifier: Apache-2.0
import { formatTime, jsonEqual } from '@operator-parts/kube';
import type { EtcdRestoreStatus, RestorePhaseName } from '../api/etcd-restore.ts';
import { mergedCondition } from '../api/merged-condition.ts';
import { restoreConditionTypes } from '../api/reasons.ts';
import { unknownFieldsClaim } from '../api/unknown-fields.ts';
import { restoreGoal, standardConditions } from '../standard-conditions.ts';
import type { Comparison, SafetyFacts, SourceFacts } from './observation.ts';
import type { OldVolumes, RestoreReport } from './plan/step.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * The status to write; undefined if nothing changed. `now` is RFC 3339; `unknownFields` are paths that the schema of EtcdRestore does not
 * have.
 */
export function nextStatus(
  previous: EtcdRestoreStatus | undefined,
  generation: number,
  report: RestoreReport,
  now: string,
  unknownFields: readonly string[] = [],
): EtcdRestoreStatus | undefined {
  const { phase } = report;
  const reason = clipped(report.reason);
  const isNew = previous?.observedGeneration !== generation && !isSettled(phase);
  const next: Mutable<EtcdRestoreStatus> = {
    ...(isNew ? afresh(previous) : previous),
    succeeded: phase === 'Succeeded',
    reason,
    phase,
    observedGeneration: generation,
    ...record(report, generation, now),
    ...(report.safety && { safetySnapshot: safetyStatus(report.safety, generation, previous?.safetySnapshot) }),
    conditions: claimsOf(phase, reason, unknownFields).map((claim) =>
      mergedCondition(previous?.conditions ?? [], claim, now),
    ),
  };
  if (isOver(phase)) next.completedAt ??= now;
  else delete next.completedAt;
  if (report.oldVolumes) setVolumes(next, report.oldVolumes);
  return jsonEqual(previous, next) ? undefined : next;
}

/** Longer than the text of any failure and its remedy; far below the size limit of a status. */
const longestText = 1_500;

/**
 * Shortens a text that may contain names of keys and answers of other servers. The API server would reject a status that is too large, and
 * the reason would be lost.
 */
function clipped(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText - 3).toWellFormed()}...`;
}

function setVolumes(next: Mutable<EtcdRestoreStatus>, { names, command, retention }: OldVolumes): void {
  delete next.oldVolumes;
  if (names.length === 0) return;
  const end = retention === undefined ? undefined : Date.parse(next.completedAt ?? '') + retention;
  next.oldVolumes = { names, delete: command, ...(end !== undefined && { deletedAt: formatTime(end) }) };
}

/**
 * The status for a corrected spec, with which the restore begins again. It still lists the snapshots and the comparison of the failed
 * attempt until there are new ones.
 */
function afresh(previous: EtcdRestoreStatus | undefined): Partial<EtcdRestoreStatus> {
  const { safetySnapshot, prefixes } = previous ?? {};
  return { ...(safetySnapshot && { safetySnapshot }), ...(prefixes && { prefixes }) };
}

function record(report: RestoreReport, generation: number, now: string): Partial<EtcdRestoreStatus> {
  const { source, failure, started, incarnation, clusterId, revision, bytesVerified, bytesDelivered } = report;
  return {
    ...(started && { startedAt: now }),
    ...(source && { source: sourceStatus(source, generation) }),
    ...(failure !== undefined && { failure: { generation, message: clipped(failure) } }),
    ...(incarnation !== undefined && { incarnation }),
    ...(clusterId !== undefined && { clusterID: clusterId }),
    ...(revision !== undefined && { revision }),
    ...(bytesVerified !== undefined && { bytesVerified }),
    ...(bytesDelivered !== undefined && { bytesDelivered }),
    ...(report.comparison && { prefixes: prefixStatus(report, report.comparison, generation) }),
  };
}

function prefixStatus(
  { isDryRun = false, writtenRevision }: RestoreReport,
  { clusterId, prefixes, point, ...counts }: Comparison,
  generation: number,
): NonNullable<EtcdRestoreStatus['prefixes']> {
  const written = writtenRevision !== undefined && { writtenRevision };
  const pointInTime = point && { pointInTime: point };
  return {
    generation,
    compared: prefixes,
    clusterID: clusterId,
    ...pointInTime,
    ...counts,
    dryRun: isDryRun,
    ...written,
  };
}

function sourceStatus(source: SourceFacts, generation: number): NonNullable<EtcdRestoreStatus['source']> {
  const { sha256, storageVersion, newestEntry, cluster, etcdVersion, survivor, pointInTime, ...rest } = source;
  return {
    generation,
    ...rest,
    ...(sha256 !== undefined && { sha256 }),
    ...(newestEntry !== undefined && { newestEntry }),
    ...(storageVersion !== undefined && { storageVersion }),
    ...(cluster && { cluster: clusterStatus(cluster) }),
    ...(etcdVersion !== undefined && { etcdVersion }),
    ...(survivor && { survivor }),
    ...(pointInTime && { pointInTime }),
  };
}

function clusterStatus({ name, size, version, storage }: NonNullable<SourceFacts['cluster']>) {
  return { name, size, version, ...(storage !== undefined && { storage }) };
}

type SafetyStatus = NonNullable<EtcdRestoreStatus['safetySnapshot']>;

function safetyStatus(safety: SafetyFacts, generation: number, previous: SafetyStatus | undefined): SafetyStatus {
  const earlier = earlierOf(previous, safety);
  const named = { generation, ...(earlier.length > 0 && { earlier }), ...(safety.round && { round: safety.round }) };
  if (safety.kind === 'skipped')
    return {
      ...named,
      skipped: clipped(safety.why),
      ...(safety.revision !== undefined && { revision: safety.revision }),
    };
  const { path, revision, bytes, isCurrent, members } = safety;
  const warning = !isCurrent && { warning: mayBeOlder(members) };
  return { ...named, path, revision, bytes, current: isCurrent, members, ...warning };
}

/**
 * How many earlier safety snapshots are listed in addition to the last one: the first, which has the data from before any write, and those
 * just before the last.
 */
const mostEarlier = 16;

/** The snapshots of earlier attempts stay listed: only the snapshot of an attempt has the data that this attempt has overwritten. */
function earlierOf(previous: SafetyStatus | undefined, next: SafetyFacts): NonNullable<SafetyStatus['earlier']> {
  const { path, revision, earlier = [] } = previous ?? {};
  if (path === undefined) return earlier;
  if (next.kind === 'kept' && next.path === path) return earlier;
  const all = [...earlier, { path, ...(revision !== undefined && { revision }) }];
  return all.length <= mostEarlier ? all : [...all.slice(0, 1), ...all.slice(1 - mostEarlier)];
}

/** A warning about a snapshot that is not current. */
export function mayBeOlder(members: readonly string[]): string {
  const pods = members.map((name) => `pod/${name}`).join(', ');
  return `${pods || 'the member'} did not reach a quorum, so other members may hold newer data than the safety snapshot`;
}

/** True once members serve the restored data. From then on a changed spec has no effect, and the status keeps what was restored. */
function isSettled(phase: RestorePhaseName): boolean {
  return phase === 'Growing' || phase === 'CleaningUp' || phase === 'Succeeded';
}

function isOver(phase: RestorePhaseName): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

function claimsOf(phase: RestorePhaseName, reason: string, unknownFields: readonly string[]) {
  const unknown = unknownFieldsClaim('EtcdRestore', unknownFields);
  return [completion(phase, reason), ...(unknown ? [unknown] : []), ...standardConditions(restoreGoal(phase, reason))];
}

/** True after success, False after failure, Unknown before the end. */
function completion(phase: RestorePhaseName, message: string) {
  const status = phase === 'Succeeded' ? 'True' : phase === 'Failed' ? 'False' : 'Unknown';
  return { type: restoreConditionTypes.complete, status, reason: phase, message } as const;
}
