// SPDX-License-Identifier: Apache-2.0
import type { Condition } from '../../api/condition-schema.ts';
import type { EtcdBackupStatus } from '../../api/etcd-backup.ts';
import { backupConditionTypes as backupConditions, standardConditionTypes } from '../../api/reasons.ts';
import { unknownFieldsClaim } from '../../api/unknown-fields.ts';
import { counted, isOrAre } from '../../counted.ts';
import { backupGoal, standardConditions } from '../../standard-conditions.ts';
import type { RunState } from '../act/backup-runs.ts';
import { faultOf } from '../backup-fault.ts';
import type { OrderProblem } from '../observe/backup-order.ts';
import type { BackupPlan } from '../plan/backup-plan.ts';
import { type Claim, mergedConditions } from './merged-conditions.ts';

/** The conditions to report: the outcome of the last run, or what prevents a run. */
export function conditionsOf(
  status: EtcdBackupStatus | undefined,
  situation: {
    readonly plan: BackupPlan;
    readonly problem: OrderProblem | undefined;
    readonly run: RunState | undefined;
    /** Paths of spec fields that do not exist in the API. @default none */
    readonly unknownFields?: readonly string[];
    /** The condition about recording changes. @default undefined: the spec does not ask for recording */
    readonly recording?: Claim | undefined;
  },
  now: string,
): readonly Condition[] {
  const unknown = unknownFieldsClaim('EtcdBackup', situation.unknownFields ?? []);
  const own = [succeeded(status, situation), running(situation), pruned(situation.run), situation.recording, unknown];
  const claims = [...own, ...standardOf(status, situation)];
  const claimed = new Set(claims.map((claim) => claim?.type));
  return mergedConditions(status, claims, now).filter(({ type }) => claimed.has(type) || !passing.has(type));
}

/** Conditions that are removed when they no longer apply; other conditions stay unchanged. */
const passing: ReadonlySet<string> = new Set([
  backupConditions.unknownFields,
  backupConditions.recording,
  standardConditionTypes.reconciling,
  standardConditionTypes.stalled,
]);

/** The standard conditions, derived from the new `Succeeded` and `Running`. */
function standardOf(
  status: EtcdBackupStatus | undefined,
  situation: Parameters<typeof succeeded>[1],
): ReturnType<typeof standardConditions> {
  const { plan } = situation;
  const known =
    succeeded(status, situation) ?? status?.conditions?.find(({ type }) => type === backupConditions.succeeded);
  if (!known) return [];
  const { reason = '', message = '' } = known;
  const order = { situation: plan.situation, isSeries: plan.nextDue !== undefined };
  const goal = backupGoal(order, { ...known, reason, message }, { message: '', ...running(situation) });
  return goal ? standardConditions(goal) : [];
}

/** The conditions after a run has ended. */
export function outcomeConditions(
  status: EtcdBackupStatus | undefined,
  run: RunState,
  now: string,
): readonly Condition[] {
  return mergedConditions(status, [succeededBy(run), pruned(run), unlabelled(status, run)], now);
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
  const ended = run && succeededBy(run);
  if (ended) return ended;
  if (plan.situation === 'complete') return finished(status);
  if (plan.situation === 'refused')
    return {
      type,
      status: 'False',
      reason: 'FailedBefore',
      message:
        'this backup failed under another operator and is not retried. Change the spec, or create another EtcdBackup',
    };
  return status?.conditions?.some((condition) => condition.type === type)
    ? undefined
    : { type, status: 'Unknown', reason: 'Pending', message: 'no backup has been made yet' };
}

function succeededBy({ outcome }: RunState): Claim | undefined {
  const type = backupConditions.succeeded;
  switch (outcome?.kind) {
    case 'taken': {
      const { path, manifest } = outcome.taken;
      return { type, status: 'True', reason: 'Verified', message: `${path}, revision ${manifest.revision}` };
    }
    case 'failed':
      return { type, status: 'False', reason: outcome.fault.reason, message: outcome.fault.message };
    case 'cancelled':
    case undefined:
      return undefined;
  }
}

/** The condition of a finished single backup stays, unless another outcome was reported since. */
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

function pruned(run: RunState | undefined): Claim | undefined {
  if (run?.outcome?.kind !== 'taken') return undefined;
  const { pruneError, uncounted } = run.outcome.taken;
  const type = backupConditions.pruned;
  const message =
    uncounted > 0
      ? `${counted(uncounted, 'stored backup')} ${isOrAre(uncounted)} not deleted, because the operator is not certain whose backup it is: the manifest in the backup store is missing, does not match the backup, or names another EtcdBackup`
      : '';
  if (pruneError === undefined) return { type, status: 'True', reason: 'Pruned', message };
  const fault = faultOf(pruneError);
  const words = fault.reason === 'ObjectLocked' ? fault.message : `deleting older backups failed: ${fault.message}`;
  return { type, status: 'False', reason: fault.reason, message: words };
}

/** The condition about Secrets without the label; present only after such a Secret was used. */
function unlabelled(
  status: EtcdBackupStatus | undefined,
  { outcome, progress: { secretWarning: message } }: RunState,
): Claim | undefined {
  const type = backupConditions.secretsUnlabelled;
  if (message !== undefined) return { type, status: 'True', reason: 'LabelMissing', message };
  const wasSaid = status?.conditions?.some((condition) => condition.type === type) ?? false;
  if (!wasSaid || outcome?.kind !== 'taken') return undefined;
  return { type, status: 'False', reason: 'AllLabelled', message: '' };
}
