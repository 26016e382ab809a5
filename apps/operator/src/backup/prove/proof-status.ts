// SPDX-License-Identifier: Apache-2.0
import { formatTime } from '@operator-parts/kube';
import type { Condition } from '../../api/condition-schema.ts';
import type { EtcdBackupStatus } from '../../api/etcd-backup.ts';
import { backupConditionTypes } from '../../api/reasons.ts';
import { timeOf } from '../../api/status-time.ts';
import { keyBeside, type StoragePlace } from '../../storage/storage-place.ts';
import { type ProofMemory, proofPause } from '../plan/proof-plan.ts';
import { type Claim, mergedConditions } from '../status/merged-conditions.ts';
import type { ProofOutcome } from './proofs.ts';

export type ProvenBackup = NonNullable<EtcdBackupStatus['lastProven']>;

/** Status fields to write; undefined removes a field. */
export type ProofFields = {
  readonly [K in 'proof' | 'lastProven' | 'conditions']?: EtcdBackupStatus[K] | undefined;
};

const type = backupConditionTypes.proven;

export function proofMemoryOf({ proof }: Pick<EtcdBackupStatus, 'proof'>): ProofMemory | undefined {
  if (!proof) return undefined;
  return {
    path: proof.path,
    due: timeOf(proof.dueDate),
    isOpen: proof.running ?? false,
    backupsSince: proof.backupsSince ?? 0,
    attempts: proof.attempts ?? 0,
    nextAttempt: timeOf(proof.nextAttemptDate),
  };
}

/**
 * The status before a proof starts. The condition about the previous proof (test restore of a stored backup) stays until the new proof has
 * ended.
 */
export function begunProof(
  status: EtcdBackupStatus | undefined,
  begun: { readonly path: string; readonly due: number; readonly pod: string },
  now: string,
): ProofFields {
  const { path, due, pod } = begun;
  const { attempts } = status?.proof ?? {};
  const proof = { path, dueDate: formatTime(due), pod, running: true, backupsSince: 0, ...(attempts && { attempts }) };
  const isSaid = status?.conditions?.some((condition) => condition.type === type) ?? false;
  const message = `backup ${path} is being tested by restoring it to pod/${pod}`;
  const claim: Claim = { type, status: 'Unknown', reason: 'NotProvenYet', message };
  return { proof, conditions: mergedConditions(status, isSaid ? [] : [claim], now) };
}

/** Status after a proof. If the proof could not be made, status.lastProven stays. */
export function endedProof(
  status: EtcdBackupStatus | undefined,
  outcome: ProofOutcome,
  { now, chance }: { readonly now: number; readonly chance: number },
): ProofFields {
  const { running: _running, attempts: before = 0, nextAttemptDate: _next, ...kept } = status?.proof ?? noProof;
  const conditions = mergedConditions(status, [claimOf(outcome, kept)], formatTime(now));
  const { lastProven } = status ?? {};
  switch (outcome.kind) {
    case 'proven': {
      const { pod: _pod, ...proof } = kept;
      return { lastProven: outcome.proven, proof, conditions };
    }
    case 'refuted':
      return { lastProven, proof: withPod(kept, outcome), conditions };
    case 'untried': {
      const attempts = before + 1;
      // Spreads the retries of proofs that failed together.
      const retryAt = now + proofPause(attempts) * (0.75 + chance / 4);
      const nextAttemptDate = formatTime(Math.ceil(retryAt / 1000) * 1000);
      return { lastProven, proof: { ...withPod(kept, outcome), attempts, nextAttemptDate }, conditions };
    }
  }
}

type Proof = NonNullable<EtcdBackupStatus['proof']>;

/** The proof without its pod, unless that pod still exists. */
function withPod({ pod, ...proof }: Proof, { hasPod }: { readonly hasPod: boolean }): Proof {
  return hasPod && pod !== undefined ? { ...proof, pod } : proof;
}

const noProof: Proof = { path: '', dueDate: '' };

function claimOf(outcome: ProofOutcome, { path, pod }: { readonly path: string; readonly pod?: string }): Claim {
  switch (outcome.kind) {
    case 'proven': {
      const { etcdVersion, etcdRevision, keys } = outcome.proven;
      const message = `the test restore of backup ${path} with etcd ${etcdVersion} succeeded: revision ${etcdRevision}, ${keys} keys`;
      return { type, status: 'True', reason: 'Proven', message };
    }
    case 'refuted': {
      const evidence = pod && outcome.hasPod ? `. For inspection, pod/${pod} is kept until the next test restore` : '';
      return {
        type,
        status: 'False',
        reason: outcome.reason,
        message: `backup ${path} failed its test restore: ${outcome.message}${evidence}`,
      };
    }
    case 'untried':
      return {
        type,
        status: 'Unknown',
        reason: outcome.reason,
        message: `the test restore of backup ${path} gave no result, and the operator retries it: ${outcome.message}`,
      };
  }
}

/** The status if the spec no longer asks for proofs. */
export function withoutProof(status: EtcdBackupStatus | undefined): ProofFields {
  return { proof: undefined, conditions: (status?.conditions ?? []).filter((condition) => condition.type !== type) };
}

/** Counts one more backup since the last proof, if there was a proof. */
export function countedSinceProof({ proof }: EtcdBackupStatus): Pick<EtcdBackupStatus, 'proof'> {
  return proof ? { proof: { ...proof, backupsSince: (proof.backupsSince ?? 0) + 1 } } : {};
}

/** Whether the last proof found that the backup is not restorable. */
export function isRefuted(conditions: readonly Condition[] | null | undefined): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === 'False') ?? false;
}

/** Keys of backups that retention must not delete: the last proven backup, and a backup whose proof is in progress or has failed. */
export function sparedKeys(
  status: EtcdBackupStatus | undefined,
  provenHere: string | undefined,
  place: StoragePlace,
): ReadonlySet<string> {
  const paths = [status?.lastProven?.path, status?.proof?.path, provenHere];
  return new Set(paths.flatMap((path) => (path === undefined ? [] : [keyBeside(place, path) ?? []].flat())));
}
