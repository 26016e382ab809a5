// SPDX-License-Identifier: Apache-2.0
import { hasFinalizer } from '@operator-parts/controller-runtime';
import { formatTime } from '@operator-parts/kube';
import type { Clock, Random } from '@operator-parts/ports';
import type { EtcdBackup, EtcdBackupStatus } from '../../api/etcd-backup.ts';
import { timeOf } from '../../api/status-time.ts';
import type { FirstSeen } from '../../first-seen.ts';
import type { RunState } from '../act/backup-runs.ts';
import { coreosFinalizer, ownFinalizer } from '../act/finalizers.ts';
import type { BackupObservation, RunView } from '../observation.ts';
import type { ProofView } from '../plan/proof-plan.ts';
import type { StreamView } from '../plan/stream-plan.ts';
import { outcomeConditions } from '../status/backup-conditions.ts';
import { afterRun, memoryOf } from '../status/backup-status.ts';
import { orderOf } from './backup-order.ts';

/** An EtcdBackup and what is known about it at one moment. */
export interface SeenBackup {
  readonly backup: EtcdBackup;
  /** Its status, including the outcome of a run that has ended. */
  readonly status: EtcdBackupStatus | undefined;
  readonly run: RunState | undefined;
  readonly observation: BackupObservation;
  readonly now: number;
}

export interface ObservePorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  readonly firstSeen: FirstSeen;
}

/**
 * Gathers what one decision about an EtcdBackup needs. Sends no request: the object is in the cache, and its run is in the memory of this
 * process.
 */
export function observe(
  backup: EtcdBackup,
  run: RunState | undefined,
  ports: ObservePorts,
  proof: ProofView = 'idle',
  stream: StreamView = { kind: 'idle' },
): SeenBackup {
  const { clock, random, firstSeen } = ports;
  const now = clock.now();
  const { uid = '', generation = 0, deletionTimestamp, creationTimestamp } = backup.metadata ?? {};
  const view = run && runView(run);
  const hasEnded = run !== undefined && view?.state === 'ended';
  const status = run?.outcome ? withOutcome(backup.status, run, { now, chance: random.next() }) : backup.status;
  // If the clock was set back, the times that this run records may equal the times that the previous run recorded. Without `forget`, they
  // would count as seen since then.
  if (hasEnded) firstSeen.forget(uid);
  const memory = memoryOf({ ...(status && { status }) });
  const result = orderOf(backup);
  const observation: BackupObservation = {
    generation,
    created: timeOf(creationTimestamp) ?? now,
    isDeleting: Boolean(deletionTimestamp),
    hasCoreosFinalizer: hasFinalizer(backup, coreosFinalizer),
    hasOwnFinalizer: hasFinalizer(backup, ownFinalizer),
    order: 'order' in result ? result.order : undefined,
    problem: 'problem' in result ? result.problem : undefined,
    memory,
    seenFor: {
      lastDue: firstSeen.age(`${uid}/lastDue`, memory.lastDue),
      nextAttempt: firstSeen.age(`${uid}/nextAttempt`, memory.nextAttempt),
      deletion: firstSeen.age(`${uid}/deletion`, Boolean(deletionTimestamp)),
      finishedAt: firstSeen.age(`${uid}/finishedAt`, memory.finishedAt),
    },
    run: view,
    proof,
    proofSeenFor: firstSeen.age(`${uid}/proof`, memory.proof?.due),
    stream,
  };
  return { backup, status, run, observation, now };
}

function runView({ generation, outcome }: RunState): RunView {
  switch (outcome?.kind) {
    case undefined:
      return { generation, state: 'running' };
    case 'cancelled':
      return { generation, state: 'cancelled' };
    case 'taken':
    case 'failed':
      return { generation, state: 'ended' };
  }
}

function withOutcome(
  before: EtcdBackupStatus | undefined,
  run: RunState,
  at: { readonly now: number; readonly chance: number },
): EtcdBackupStatus {
  const status = afterRun(before, run, at);
  return { ...status, conditions: outcomeConditions(status, run, formatTime(at.now)) };
}
