// SPDX-License-Identifier: Apache-2.0
import type { RestorePhaseName } from '../../api/etcd-restore.ts';
import type { JobState, RestoreObservation, SourceFacts } from '../observation.ts';
import { grow } from './grow.ts';
import { phaseOf } from './phase.ts';
import { prepare } from './prepare.ts';
import { finish, progress, take, wait } from './proposal.ts';
import { rollBack } from './roll-back.ts';
import { seed } from './seed.ts';
import type { PlannedRestoreStep, RestorePlan } from './step.ts';

/**
 * Decides what to do about one restore. Pure, synchronous and total. The phase is read from what has been written
 * (`phaseOf`); each phase proposes its next steps, and what is recorded is recorded before anything is built on it.
 */
export function planRestore(seen: RestoreObservation, now: number): RestorePlan {
  const phase = phaseOf(seen);
  switch (phase.kind) {
    case 'ended':
      return tidy(seen, phase.how);
    case 'verifying':
      return verify(seen, now);
    case 'preparing':
      return prepare(seen, phase.source);
    case 'seeding':
      return seed(seen, phase.source, phase.target, now);
    case 'growing':
      return grow(seen, phase.target);
    case 'rollingBack':
      return rollBack(seen, phase.failure, phase.target);
  }
}

/** How long a store that cannot be reached is asked again and again. */
const patience = 600_000;

/** Reads the source to its end before anything is touched. What cannot be mended by waiting ends the restore. */
function verify({ jobs, cluster }: RestoreObservation, now: number): RestorePlan {
  const { verify: job } = jobs;
  if (cluster?.deleting) return wait('Verifying', 'the EtcdCluster is being deleted', 5_000);
  switch (job.kind) {
    case 'idle':
      return take('Verifying', [
        { step: { do: 'verify' }, reason: 'the source is read and checked, nothing is touched' },
      ]);
    case 'running':
      return {
        ...wait('Verifying', '', 200),
        report: { phase: 'Verifying', reason: '', bytesVerified: progress(job.bytes) },
      };
    case 'failed':
      return job.passes && now - job.since < patience ? again(job) : finish('Failed', job.why);
    case 'done':
      return {
        steps: [],
        report: { phase: 'Preparing', reason: '', source: job.value, bytesVerified: job.value.bytes },
        lookAgainAfter: 0,
      };
  }
}

function again(job: Extract<JobState<SourceFacts>, { kind: 'failed' }>): RestorePlan {
  const reason = `${job.why}; it is tried again`;
  return { ...take('Verifying', [{ step: { do: 'verify' }, reason }], reason), lookAgainAfter: 5_000 };
}

/** Ended: what may be left of it after a crash goes, and the object itself may go. */
function tidy({ restore, cluster, hasSecret }: RestoreObservation, how: 'succeeded' | 'failed'): RestorePlan {
  const steps: PlannedRestoreStep[] = [];
  if (cluster?.marker?.uid === restore.uid && how === 'succeeded')
    steps.push({ step: { do: 'unmark', back: undefined }, reason: 'the restore is over' });
  if (hasSecret) steps.push({ step: { do: 'deleteSecret' }, reason: 'nobody needs its key any more' });
  if (restore.hasFinalizer) steps.push({ step: { do: 'removeFinalizer' }, reason: 'nothing is left to be cleaned up' });
  const phase: RestorePhaseName = how === 'succeeded' ? 'Succeeded' : 'Failed';
  const report = restore.ended ? undefined : { phase, reason: '' };
  return { steps, report, lookAgainAfter: undefined };
}
