// SPDX-License-Identifier: Apache-2.0
import { formatTime, jsonEqual } from '@etcd-operator/kube';
import type { EtcdRestoreStatus, RestorePhaseName } from '../api/etcd-restore.ts';
import { mergedCondition } from '../api/merged-condition.ts';
import { restoreConditionTypes } from '../api/reasons.ts';
import { unknownFieldsClaim } from '../api/unknown-fields.ts';
import { restoreGoal, standardConditions } from '../standard-conditions.ts';
import type { Comparison, SafetyFacts, SourceFacts } from './observation.ts';
import type { OldVolumes, RestoreReport } from './plan/step.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The status to be written; undefined if it says nothing new. `now` is RFC 3339; `unknownFields` are paths of what no EtcdRestore has. */
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

/** Above what any failure and its remedy need; far below what a status may hold. */
const longestText = 1_500;

/** Names of keys and answers of others are in it: a status that is too large would be refused as a whole, and nobody would read why. */
function clipped(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText - 3).toWellFormed()}...`;
}

function setVolumes(next: Mutable<EtcdRestoreStatus>, { names, command, retention }: OldVolumes): void {
  delete next.oldVolumes;
  if (names.length === 0) return;
  const end = retention === undefined ? undefined : Date.parse(next.completedAt ?? '') + retention;
  next.oldVolumes = { names, delete: command, ...(end !== undefined && { deletedAt: formatTime(end) }) };
}

/** A corrected spec begins again; what a failed attempt saved stays named until it is saved again, and what was compared until it is compared again. */
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

/** How many are named beside the last one: the first, with what was there before anything was written, and those before the last. */
const mostEarlier = 16;

/** What was stored before stays named: what an attempt has overwritten is in its own snapshot alone. */
function earlierOf(previous: SafetyStatus | undefined, next: SafetyFacts): NonNullable<SafetyStatus['earlier']> {
  const { path, revision, earlier = [] } = previous ?? {};
  if (path === undefined) return earlier;
  if (next.kind === 'kept' && next.path === path) return earlier;
  const all = [...earlier, { path, ...(revision !== undefined && { revision }) }];
  return all.length <= mostEarlier ? all : [...all.slice(0, 1), ...all.slice(1 - mostEarlier)];
}

/** What a person must know of a snapshot that is not current. */
export function mayBeOlder(members: readonly string[]): string {
  const pods = members.map((name) => `pod/${name}`).join(', ');
  return `${pods || 'the member'} did not reach a quorum: other members may hold newer data than the safety snapshot`;
}

/** The restored data serves: another spec changes nothing any more, and what was restored stays said. */
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

/** True when it is over and well, False when it failed, Unknown on the way. */
function completion(phase: RestorePhaseName, message: string) {
  const status = phase === 'Succeeded' ? 'True' : phase === 'Failed' ? 'False' : 'Unknown';
  return { type: restoreConditionTypes.complete, status, reason: phase, message } as const;
}
