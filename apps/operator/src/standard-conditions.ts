// SPDX-License-Identifier: Apache-2.0
import type { RestorePhaseName } from './api/etcd-restore.ts';
import { conditionReasons as reasons, standardConditionTypes, conditionTypes as types } from './api/reasons.ts';
import type { BackupSituation } from './backup/plan/backup-plan.ts';
import { isDisputed } from './cluster/plan/healing/corruption.ts';
import type { Plan } from './cluster/plan/plan.ts';

/**
 * `Ready`, `Reconciling` and `Stalled` as kstatus defines them (sigs.k8s.io/cli-utils/pkg/kstatus). Flux, Argo CD, kpt and `kubectl wait`
 * use them to find out whether an object is as its spec asks. They only summarize the other conditions. `Reconciling` and `Stalled` are
 * present only while they are true, and never both.
 */

/** The state of an object compared with its spec. */
export type Goal =
  /** The object is as its spec asks. */
  | (Words & { readonly state: 'reached' })
  /** The operator is working towards the spec. */
  | (Words & { readonly state: 'reconciling' })
  /** The cluster cannot become what the spec asks for until a user changes something or a node returns. */
  | (Words & { readonly state: 'stalled' })
  /** The object is being deleted, for which there is neither `Reconciling` nor `Stalled`. */
  | (Words & { readonly state: 'deleting' });

interface Words {
  readonly reason: string;
  readonly message: string;
}

interface Claim extends Words {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
}

/** The standard conditions for a goal. */
export function standardConditions({ state, ...words }: Goal): readonly Claim[] {
  const { ready, reconciling, stalled } = standardConditionTypes;
  switch (state) {
    case 'reached':
      return [{ type: ready, status: 'True', ...words }];
    case 'reconciling':
      return [
        { type: ready, status: 'False', ...words },
        { type: reconciling, status: 'True', ...words },
      ];
    case 'stalled':
      return [
        { type: ready, status: 'False', ...words },
        { type: stalled, status: 'True', ...words },
      ];
    case 'deleting':
      return [{ type: ready, status: 'False', ...words }];
  }
}

/** The goal of an EtcdCluster, from its plan and its other conditions. */
export function clusterGoal(plan: Plan, claims: readonly Claim[]): Goal {
  const available = claimOf(claims, types.available);
  switch (plan.situation) {
    case 'deleting':
      return { state: 'deleting', reason: reasons.deleting, message: 'The EtcdCluster is being deleted.' };
    case 'refused':
      return { state: 'stalled', ...wordsOf(claimOf(claims, types.specRefused) ?? available) };
    case 'invalid':
    case 'identityConflict':
    case 'locked':
    case 'quorumLost':
    case 'unreachable':
      return { state: 'stalled', ...wordsOf(available) };
    case 'coreosOperator':
      return { state: 'stalled', reason: reasons.coreOSOperatorRunning, message: wordsOfPlan(plan) };
    case 'paused':
      return available?.status === 'True'
        ? { state: 'reached', reason: reasons.paused, message: 'spec.paused is true: nothing is changed or repaired.' }
        : { state: 'stalled', ...wordsOf(available) };
    case 'restoring':
      return { state: 'reconciling', ...wordsOf(available) };
    case 'bootstrapping':
      return obstacle(plan) ?? { state: 'reconciling', ...wordsOf(claimOf(claims, types.secretsInvalid) ?? available) };
    case 'healing':
      return obstacle(plan, claims) ?? { state: 'reconciling', ...wordsOf(claimOf(claims, types.recovering)) };
    case 'scalingUp':
      return obstacle(plan, claims) ?? { state: 'reconciling', reason: reasons.scalingUp, message: wordsOfPlan(plan) };
    case 'scalingDown':
      return (
        obstacle(plan, claims) ?? { state: 'reconciling', reason: reasons.scalingDown, message: wordsOfPlan(plan) }
      );
    case 'upgrading':
      return obstacle(plan, claims) ?? { state: 'reconciling', reason: reasons.upgrading, message: wordsOfPlan(plan) };
    case 'updating':
      return obstacle(plan, claims) ?? { state: 'reconciling', reason: reasons.updating, message: wordsOfPlan(plan) };
    case 'steady':
      return obstacle(plan, claims) ?? atRest(available);
  }
}

/** The goal when no step is left to do. A member that does not run yet returns without help, or is replaced after a while. */
function atRest(available: Claim | undefined): Goal {
  const state = available?.status === 'True' && available.reason === reasons.available ? 'reached' : 'reconciling';
  return { state, ...wordsOf(available) };
}

/** A problem that the operator cannot solve. */
function obstacle(plan: Plan, claims: readonly Claim[] = []): Goal | undefined {
  if (plan.trouble !== undefined) return { state: 'stalled', reason: reasons.stepFailed, message: plan.trouble };
  const upgrading = claimOf(claims, types.upgrading);
  const alarm = claimOf(claims, types.alarmRaised);
  const isForPerson =
    alarm?.reason === reasons.noSpace || (plan.assessment !== undefined && isDisputed(plan.assessment));
  const found = [
    isForPerson ? alarm : undefined,
    upgrading?.reason === reasons.upgradeHeld ? upgrading : undefined,
    claimOf(claims, types.secretsInvalid),
    claimOf(claims, types.servicesOfOtherOwner),
  ].find((claim) => claim !== undefined);
  return found && { state: 'stalled', ...wordsOf(found) };
}

/**
 * The goal of an EtcdBackup, from its conditions about the last and the present attempt. A series is as its spec asks unless its last
 * attempt failed.
 */
export function backupGoal(
  { situation, isSeries }: { readonly situation: BackupSituation; readonly isSeries: boolean },
  succeeded: Claim,
  running: Claim,
): Goal | undefined {
  const words = wordsOf(succeeded);
  const hasFailed = succeeded.status === 'False';
  switch (situation) {
    case 'deleting':
      return undefined;
    case 'complete':
      return { state: 'reached', ...words };
    case 'invalid':
    case 'refused':
    case 'retrying':
      return { state: 'stalled', ...words };
    case 'waiting':
      return { state: hasFailed ? 'stalled' : 'reached', ...words };
    case 'due':
    case 'running':
      if (hasFailed) return { state: 'stalled', ...words };
      if (isSeries) return { state: 'reached', ...words };
      return { state: 'reconciling', ...wordsOf(running.status === 'True' ? running : words) };
  }
}

/** The goal of an EtcdRestore, from its phase. */
export function restoreGoal(phase: RestorePhaseName, message: string): Goal {
  switch (phase) {
    case 'Verifying':
    case 'Preparing':
    case 'Isolating':
    case 'SavingPresent':
    case 'Writing':
    case 'Seeding':
    case 'Growing':
    case 'CleaningUp':
    case 'RollingBack':
      return { state: 'reconciling', reason: phase, message };
    case 'Succeeded':
      return { state: 'reached', reason: phase, message };
    case 'Failed':
      return { state: 'stalled', reason: phase, message };
  }
}

function claimOf(claims: readonly Claim[], type: string): Claim | undefined {
  return claims.find((claim) => claim.type === type);
}

function wordsOf(claim: Words | undefined): Words {
  return { reason: claim?.reason ?? '', message: claim?.message ?? '' };
}

function wordsOfPlan({ steps, waits }: Plan): string {
  return [...steps, ...waits]
    .map(({ reason }) => reason)
    .join(' ')
    .slice(0, 1024);
}
