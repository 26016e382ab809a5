// SPDX-License-Identifier: Apache-2.0
import { formatTime, jsonEqual } from '@operator-parts/kube';
import type { EtcdBackup, EtcdBackupStatus } from '../../api/etcd-backup.ts';
import { observedGenerationIn } from '../../api/status/unseen-status.ts';
import { timeOf } from '../../api/status-time.ts';
import type { RunProgress, RunState } from '../act/backup-runs.ts';
import { leftoversOf } from '../act/stored/leftovers.ts';
import { pauseAfter } from '../backup-fault.ts';
import { recoveryPointOf } from '../continuous/stream-status.ts';
import type { StreamReport } from '../continuous/streams.ts';
import type { BackupMemory } from '../observation.ts';
import type { OrderProblem } from '../observe/backup-order.ts';
import type { BackupPlan } from '../plan/backup-plan.ts';
import { countedSinceProof, proofMemoryOf } from '../prove/proof-status.ts';
import { conditionsOf } from './backup-conditions.ts';
import type { Claim } from './merged-conditions.ts';

/** Reads the status, whichever operator wrote it. Invalid times count as absent. */
export function memoryOf({ status }: Pick<EtcdBackup, 'status'>): BackupMemory {
  const { lastScheduleDate, lastExecutionDate, lastSuccessDate, etcdRevision } = status ?? {};
  return {
    hasMade: Boolean((status?.succeeded ?? false) || lastSuccessDate || etcdRevision),
    reason: status?.Reason ?? '',
    attempts: status?.attempts,
    nextAttempt: timeOf(status?.nextAttemptDate),
    lastDue:
      timeOf(lastScheduleDate) ??
      (status?.attempts === undefined ? timeOf(lastExecutionDate) : undefined) ??
      timeOf(lastSuccessDate),
    finishedAt: finishTime(status),
    lastPath: status?.lastBackup?.path,
    lastKeyId: status?.lastBackup?.encryptionKeyID,
    observedGeneration: observedGenerationIn(status),
    proof: proofMemoryOf(status ?? {}),
  };
}

function finishTime(status: EtcdBackupStatus | undefined): number | undefined {
  const found = status?.conditions?.find(({ type }) => type === 'Succeeded');
  return found?.status === 'True' ? timeOf(found.lastTransitionTime) : undefined;
}

/** The status after a run has ended. After a failure, the fields about the last success stay. */
export function afterRun(
  previous: EtcdBackupStatus | undefined,
  { outcome, due, progress, generation }: RunState,
  { now, chance }: { readonly now: number; readonly chance: number },
): EtcdBackupStatus {
  const { progress: _progress, nextAttemptDate: _next, leftovers: _leftovers, ...known } = previous ?? {};
  const kept = { ...known, ...leftoversAfter(previous, progress) };
  const executed = { ...kept, lastExecutionDate: formatTime(progress.startedAt), observedGeneration: generation };
  switch (outcome?.kind) {
    case 'taken': {
      const { manifest, path, startedAt } = outcome.taken;
      return {
        ...executed,
        ...(outcome.taken.isNew && countedSinceProof(executed)),
        succeeded: true,
        Reason: '',
        attempts: 0,
        etcdVersion: manifest.etcdVersion,
        etcdRevision: manifest.revision,
        lastSuccessDate: formatTime(startedAt),
        lastScheduleDate: formatTime(due),
        lastBackup: {
          path,
          bytes: manifest.bytes,
          sha256: manifest.sha256,
          ...(manifest.encryption && { encryptionKeyID: manifest.encryption.keyId }),
          durationSeconds: Math.round(progress.seconds),
        },
      };
    }
    case 'failed': {
      const isSame = previous?.observedGeneration === generation;
      const attempts = (isSame ? (previous.attempts ?? 0) : 0) + 1;
      const retryAt = now + pauseAfter(outcome.fault, attempts, chance);
      return {
        ...executed,
        succeeded: false,
        Reason: outcome.fault.message,
        attempts,
        // Times in the status are whole seconds. They are rounded up, because a pause below one second would disappear otherwise.
        nextAttemptDate: formatTime(Math.ceil(retryAt / 1000) * 1000),
      };
    }
    case 'cancelled':
    case undefined:
      return kept;
  }
}

/** The highest number of leftovers in the status. If the store refuses every deletion, the first leftovers are enough to show that. */
const mostLeftovers = 64;

/**
 * Objects of failed attempts that may still be in the store. An object stays listed until it is removed, even if an earlier process listed
 * it.
 */
export function leftoversAfter(
  status: EtcdBackupStatus | undefined,
  { object, left, removed }: Pick<RunProgress, 'object' | 'left' | 'removed'>,
): Pick<EtcdBackupStatus, 'leftovers'> {
  const gone = new Set([...removed, ...(object === undefined ? [] : [object])]);
  const before = leftoversOf(status).filter((key) => !gone.has(key));
  const leftovers = [...new Set([...before, ...left])].slice(0, mostLeftovers);
  return leftovers.length > 0 ? { leftovers } : {};
}

/** The status to report now. */
export function statusOf(
  base: EtcdBackupStatus | undefined,
  situation: {
    readonly plan: BackupPlan;
    readonly problem: OrderProblem | undefined;
    readonly run: RunState | undefined;
    /** Paths of spec fields that do not exist in the API. @default none */
    readonly unknownFields?: readonly string[];
    /** The condition about recording changes. @default undefined: the spec does not ask for recording */
    readonly recording?: Claim | undefined;
    /** State of the stream in this process. */
    readonly stream?: StreamReport | undefined;
    readonly generation: number;
    readonly now: number;
  },
): EtcdBackupStatus {
  const { plan, problem, run, generation, now } = situation;
  const {
    progress: left,
    nextScheduleDate: _next,
    recoveryPoint: _point,
    ...kept
  } = (plan.situation === 'complete' ? finished(base) : base) ?? {};
  const running = run && !run.outcome ? { progress: progressOf(run.progress, left?.object, now) } : leftover(left);
  return {
    ...kept,
    succeeded: problem ? false : (kept.succeeded ?? false),
    ...(problem && { Reason: problem.message, attempts: kept.attempts ?? 0 }),
    ...(plan.situation === 'deleting' ? {} : { observedGeneration: observed(base, plan, generation) }),
    ...(plan.nextDue !== undefined && { nextScheduleDate: formatTime(plan.nextDue) }),
    ...running,
    ...recoveryPointOf(base, situation.recording !== undefined, situation.stream),
    conditions: conditionsOf(base, situation, formatTime(now)),
  };
}

/** The status of a finished single backup, without the later failures of attempts with another spec. */
function finished(base: EtcdBackupStatus | undefined): EtcdBackupStatus | undefined {
  if (base?.succeeded) return base;
  const { nextAttemptDate: _next, ...kept } = base ?? {};
  return { ...kept, succeeded: true, Reason: '', attempts: 0 };
}

/** The generation that the status is about. During the first attempt with a new spec, the status still reports failures of the old spec. */
function observed(base: EtcdBackupStatus | undefined, { situation }: BackupPlan, generation: number): number {
  const isTrying = situation === 'running' || situation === 'due';
  return isTrying ? (observedGenerationIn(base) ?? generation) : generation;
}

/** The object that a crashed process was writing, until another run has removed or replaced it. */
function leftover(progress: EtcdBackupStatus['progress']): Pick<EtcdBackupStatus, 'progress'> {
  return progress?.object ? { progress } : {};
}

/** @param left the unfinished object of an earlier process, reported until the run writes an object of its own */
function progressOf(
  { startedAt, bytes, totalBytes, seconds, ...run }: RunProgress,
  left: string | undefined,
  now: number,
) {
  const object = run.object ?? left;
  const rate = seconds > 0 ? Math.round(bytes / seconds) : 0;
  return {
    ...(object !== undefined && { object }),
    startTime: formatTime(startedAt),
    reportTime: formatTime(now),
    bytes,
    bytesPerSecond: rate,
    // The snapshot is slightly larger than the size that the member reports, so 100 percent must not be shown before it is complete.
    ...(totalBytes > 0 && { percent: Math.min(99, Math.floor((100 * bytes) / totalBytes)) }),
  };
}

/** The figures of a run change all the time. They are written at this interval, in milliseconds. */
const progressInterval = 3_000;

/** True if the new status need not be written. New figures of a run in progress are written only if the old figures are old enough. */
export function saysTheSame(before: EtcdBackupStatus, after: EtcdBackupStatus, now: number): boolean {
  const written = timeOf(before.progress?.reportTime) ?? 0;
  const isRecent = now >= written && now - written < progressInterval;
  return isRecent ? jsonEqual(withoutFigures(before), withoutFigures(after)) : jsonEqual(before, after);
}

function withoutFigures({ progress, ...rest }: EtcdBackupStatus): unknown {
  return { ...rest, object: progress?.object ?? '', isRunning: Boolean(progress) };
}
