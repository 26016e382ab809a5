// SPDX-License-Identifier: Apache-2.0
import type { RestorePhaseName } from '../../api/etcd-restore.ts';
import type { RestoreObservation } from '../observation.ts';
import { grow } from './grow.ts';
import { dropVolumes, keptVolumes, retentionEnds } from './old-volumes.ts';
import { phaseOf } from './phase.ts';
import { restorePrefixes } from './prefixes.ts';
import { prepare } from './prepare.ts';
import { rollBack } from './roll-back.ts';
import { stopSteps } from './save.ts';
import { seed, settled } from './seed.ts';
import type { PlannedRestoreStep, RestorePlan } from './step.ts';
import { dropHolder } from './survivor/hold.ts';
import { verify } from './verify.ts';

/**
 * Decides what to do about one restore. Pure and synchronous, with a result for every observation. `phaseOf` determines the phase from what
 * has been written. Each phase proposes its next steps. Facts are recorded before a step depends on them.
 */
export function planRestore(seen: RestoreObservation, now: number): RestorePlan {
  const { prefixes, ended } = seen.restore;
  if (prefixes && !ended) return restorePrefixes(seen, prefixes);
  const phase = phaseOf(seen);
  switch (phase.kind) {
    case 'ended':
      return tidy(seen, phase.how, now);
    case 'verifying':
      return verify(seen);
    case 'preparing':
      return prepare(seen, phase.source);
    case 'seeding':
      return seed(seen, phase.source, phase.target, now);
    case 'settled':
      return settled(seen, phase.target);
    case 'growing':
      return grow(seen, phase.target, now);
    case 'rollingBack':
      return rollBack(seen, phase.failure, phase.target);
  }
}

/** The restore has ended: objects that a crash left behind are deleted, and the finalizer is removed. */
function tidy(seen: RestoreObservation, how: 'succeeded' | 'failed', now: number): RestorePlan {
  const { restore, cluster, pods, hasSecret } = seen;
  const started = pods.filter((pod) => pod.startedBy === restore.uid);
  const steps: PlannedRestoreStep[] = [...stopSteps(started, 'the restore has finished'), ...dropHolder(seen, how)];
  if (cluster?.marker?.uid === restore.uid && how === 'succeeded')
    steps.push({ step: { do: 'unmark', back: undefined }, reason: 'the restore has finished' });
  if (hasSecret)
    steps.push({
      step: { do: 'deleteSecret' },
      reason: 'deleting the Secret for the snapshot transfer, which is no longer needed',
    });
  if (restore.hasFinalizer)
    steps.push({
      step: { do: 'removeFinalizer' },
      reason: 'removing the finalizer: all temporary objects of this restore were deleted',
    });
  const phase: RestorePhaseName = how === 'succeeded' ? 'Succeeded' : 'Failed';
  const report = restore.ended || restore.deleting ? undefined : { phase, reason: '' };
  if (how === 'failed' || restore.deleting) return { steps, report, requeueAfter: undefined };
  // The status lists only kept volumes that still exist: the user may delete them, and the operator deletes them after the retention.
  const oldVolumes = keptVolumes(seen);
  const isListed = oldVolumes.names.join() === [...restore.listedVolumes].sort().join();
  return {
    steps: [...steps, ...dropVolumes(seen, now)],
    report: restore.ended && !isListed ? { phase, reason: '', oldVolumes } : report,
    requeueAfter: retentionEnds(seen, now),
  };
}
