// SPDX-License-Identifier: Apache-2.0
import type { Condition } from '../api/condition-schema.ts';
import type { EtcdBackupStatus } from '../api/etcd-backup.ts';
import { faultOf } from './backup-fault.ts';
import type { OrderProblem } from './backup-order.ts';
import type { BackupPlan } from './backup-plan.ts';
import type { RunState } from './backup-runs.ts';

/** Conditions of an EtcdBackup. */
const backupConditions = {
  /** The last try made a backup that was verified. */
  succeeded: 'Succeeded',
  /** One is being made. */
  running: 'Running',
  /** Backups beyond `maxBackups` have been deleted. */
  pruned: 'Pruned',
} as const;

type Claim = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** The conditions to report: what the last run came to, or what keeps it from being made. */
export function conditionsOf(
  status: EtcdBackupStatus | undefined,
  situation: {
    readonly plan: BackupPlan;
    readonly problem: OrderProblem | undefined;
    readonly run: RunState | undefined;
  },
  now: string,
): readonly Condition[] {
  const previous = status?.conditions ?? [];
  const claims = [succeeded(status, situation), running(situation), pruned(situation)].filter(
    (claim) => claim !== undefined,
  );
  const set = new Map(claims.map((claim) => [claim.type, merge(previous, claim, now)]));
  // Where a condition stands does not change: an order that did would be a change of the status.
  const kept = previous.map((old) => set.get(old.type) ?? old);
  const known = new Set(previous.map(({ type }) => type));
  return [...kept, ...[...set.values()].filter(({ type }) => !known.has(type))];
}

function succeeded(
  status: EtcdBackupStatus | undefined,
  {
    problem,
    run,
    plan,
  }: { readonly problem: OrderProblem | undefined; readonly run: RunState | undefined; readonly plan: BackupPlan },
): Claim | undefined {
  const type = backupConditions.succeeded;
  if (problem) return { type, status: 'False', reason: problem.reason, message: problem.message };
  if (run?.outcome?.kind === 'taken') {
    const { path, manifest } = run.outcome.taken;
    return { type, status: 'True', reason: 'Verified', message: `${path}, revision ${manifest.revision}` };
  }
  if (run?.outcome?.kind === 'failed') {
    const { reason, message } = run.outcome.fault;
    return { type, status: 'False', reason, message };
  }
  if (plan.situation === 'complete') return finished(status);
  if (plan.situation === 'refused')
    return {
      type,
      status: 'False',
      reason: 'FailedBefore',
      message: 'it failed under another operator, and is not tried again until the spec changes',
    };
  return status?.conditions?.some((condition) => condition.type === type)
    ? undefined
    : { type, status: 'Unknown', reason: 'Pending', message: 'no backup has been made yet' };
}

/** What is reported of a single backup that was made stays, unless something else was reported since. */
function finished(status: EtcdBackupStatus | undefined): Claim | undefined {
  const type = backupConditions.succeeded;
  if (status?.conditions?.some((condition) => condition.type === type && condition.status === 'True')) return undefined;
  const { lastBackup, etcdRevision = 0 } = status ?? {};
  return lastBackup
    ? { type, status: 'True', reason: 'Verified', message: `${lastBackup.path}, revision ${etcdRevision}` }
    : { type, status: 'True', reason: 'MadeBefore', message: 'made by another operator' };
}

function running({ run }: { readonly run: RunState | undefined }): Claim {
  const type = backupConditions.running;
  if (!run || run.outcome) return { type, status: 'False', reason: 'Idle', message: '' };
  return run.progress.object === undefined
    ? { type, status: 'True', reason: 'Preparing', message: '' }
    : { type, status: 'True', reason: 'Uploading', message: '' };
}

function pruned({ run }: { readonly run: RunState | undefined }): Claim | undefined {
  if (run?.outcome?.kind !== 'taken') return undefined;
  const { pruneError } = run.outcome.taken;
  const type = backupConditions.pruned;
  if (pruneError === undefined) return { type, status: 'True', reason: 'Pruned', message: '' };
  const { reason, message } = faultOf(pruneError);
  return { type, status: 'False', reason, message: `older backups could not be deleted: ${message}` };
}

function merge(previous: readonly Condition[], claim: Claim, now: string): Condition {
  const old = previous.find(({ type }) => type === claim.type);
  if (old && old.status === claim.status && old.reason === claim.reason && old.message === claim.message) return old;
  const since = old?.status === claim.status ? old.lastTransitionTime : undefined;
  return { ...claim, lastUpdateTime: now, lastTransitionTime: since ?? now };
}
