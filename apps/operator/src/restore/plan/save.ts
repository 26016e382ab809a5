// SPDX-License-Identifier: Apache-2.0
import { type NewIncarnation, objectionsTo } from '../../safety/gate.ts';
import type { LifePod, LifeVolume, RestoreObservation, SafetyFacts, TargetFacts } from '../observation.ts';
import { mayBeOlder } from '../status.ts';
import { fail, take, wait } from './proposal.ts';
import type { PlannedRestoreStep, RestorePlan } from './step.ts';

/**
 * Stores a snapshot of the present data, after the isolation, so that it holds what clients wrote last. Where no member runs, those whose
 * volumes are there are started for it, and stopped afterwards. Undefined once that is settled, one way or the other.
 */
export function save(seen: RestoreObservation, target: TargetFacts): RestorePlan | undefined {
  const { restore, jobs } = seen;
  if (restore.safety) return stopStarted(seen) ?? objection(seen, target, restore.safety);
  const old = oldData(seen, target);
  if (!old) return saved({ kind: 'skipped', why: 'no member and no volume of the cluster is left' });
  if (jobs.save.kind === 'idle' && restore.safetySnapshot !== 'Never') {
    const starting = startMembers(old);
    if (starting) return starting;
  }
  switch (jobs.save.kind) {
    case 'idle':
      return take('SavingPresent', [{ step: saveStep(seen, target, old), reason: 'saves what the old members hold' }]);
    case 'waiting':
      return wait('SavingPresent', `waiting for ${jobs.save.ahead} other restores to move their data`, 1_000);
    case 'running':
      return wait('SavingPresent', awaited(old), 200);
    case 'failed':
      // Members answer, and do not let the operator in: that is never taken for nothing to store.
      if (restore.safetySnapshot === 'Required') return fail(`${jobs.save.why}. ${remedy}`);
      return saved({ kind: 'skipped', why: jobs.save.why });
    case 'done':
      return settle(seen, target, jobs.save.value);
  }
}

/** What there is of the newest incarnation before this one. Volumes that an earlier restore has kept are nobody's present data. */
interface OldData {
  readonly incarnation: number;
  readonly pods: readonly LifePod[];
  readonly volumes: readonly LifeVolume[];
}

function oldData({ pods, volumes }: RestoreObservation, target: TargetFacts): OldData | undefined {
  const isOld = (item: LifePod | LifeVolume) => item.incarnation < target.incarnation;
  const present = [...pods.filter(isOld), ...volumes.filter((volume) => isOld(volume) && isData(volume))];
  if (present.length === 0) return undefined;
  const incarnation = Math.max(...present.map((item) => item.incarnation));
  return {
    incarnation,
    pods: pods.filter((pod) => pod.incarnation === incarnation),
    volumes: volumes.filter((volume) => volume.incarnation === incarnation && isData(volume)),
  };
}

function isData({ isIdentified, keptBy }: LifeVolume): boolean {
  return isIdentified && keptBy === '';
}

/**
 * Only where no old member runs. One that runs can be asked as it is; and beside it, those that are started would form a quorum to
 * which its clients still hold connections: what they wrote after the snapshot would be lost.
 */
function startMembers({ pods, volumes, incarnation }: OldData): RestorePlan | undefined {
  if (pods.some((pod) => pod.running && pod.startedBy === '' && !pod.terminating)) return undefined;
  const ending = pods.find((pod) => pod.terminating && !pod.overdue);
  if (ending) return wait('SavingPresent', `waiting for pod/${ending.name} to end`, 500);
  const stopped = volumes.filter(({ name, terminating }) => !terminating && !pods.some((pod) => pod.name === name));
  if (stopped.length === 0) return undefined;
  const steps: readonly PlannedRestoreStep[] = stopped.map(({ name, uid, member }) => ({
    step: { do: 'startMember', name, volumeUid: uid, incarnation, member },
    reason: `starts member ${name} on its volume, out of reach of clients, to take a snapshot of it`,
  }));
  return take('SavingPresent', steps);
}

/** How long members that run are asked: one that is being restarted answers soon. Volumes may have to be attached first. */
const patience = { running: 15_000, started: 120_000 } as const;

function saveStep(seen: RestoreObservation, target: TargetFacts, old: OldData) {
  const isStarted = old.pods.some((pod) => pod.startedBy !== '');
  const isTaken = seen.restore.safetySnapshot !== 'Never';
  return {
    do: 'save',
    incarnation: target.incarnation,
    // Of incarnations before that, pods may be left from a restore that never ended: better than nothing, and never instead.
    newestOnly: Object.values(unsaved(old, [])).some((names) => names.length > 0),
    isTaken,
    patience: isTaken ? patience[isStarted ? 'started' : 'running'] : 0,
  } as const;
}

/** What holds, or may hold, data of a member that is none of those that were saved. */
function unsaved(
  { pods, volumes }: OldData,
  saved: readonly string[],
): Pick<NewIncarnation, 'readyPods' | 'volumes' | 'podsWithData'> {
  const isUnsaved = ({ name }: LifePod | LifeVolume) => !saved.includes(name);
  const left = pods.filter(isUnsaved);
  return {
    readyPods: left.filter(({ ready }) => ready).map(nameOf),
    volumes: volumes.filter(isUnsaved).map(nameOf),
    podsWithData: left.filter((pod) => pod.mayHoldData && !pod.ready).map(nameOf),
  };
}

function awaited({ pods }: OldData): string {
  const started = pods.filter((pod) => pod.startedBy !== '' && !pod.running).map(nameOf);
  return started.length > 0 ? `waiting for ${started.map((name) => `pod/${name}`).join(', ')} to start` : '';
}

/** A snapshot that is asked for and cannot be taken ends the restore, where it would have held something. */
function settle(seen: RestoreObservation, target: TargetFacts, safety: SafetyFacts): RestorePlan {
  return objection(seen, target, safety) ?? saved(safety);
}

function objection(seen: RestoreObservation, target: TargetFacts, safety: SafetyFacts): RestorePlan | undefined {
  const objections = objectionsTo('restore', newIncarnation(seen, target, safety));
  if (objections.length === 0) return undefined;
  const evidence = objections.map((one) => one.evidence).join('; ');
  const failed = fail(`${shortcoming(safety)}Nothing is restored, because ${evidence}. ${remedy}`);
  // What is stored is named all the same: somebody may want it.
  return safety.kind === 'kept' ? { ...failed, report: failed.report && { ...failed.report, safety } } : failed;
}

function shortcoming(safety: SafetyFacts): string {
  if (safety.kind === 'skipped') return `The safety snapshot could not be taken: ${safety.why.slice(0, 300)}. `;
  return safety.isCurrent ? '' : `A safety snapshot is stored, but ${mayBeOlder(safety.members)}. `;
}

const remedy =
  'Make the members reachable from the operator and create the EtcdRestore again, or set spec.safetySnapshot: IfPossible to go on without the snapshot; old volumes are kept then, too, and data that is only in pods is lost.';

const nothing: OldData = { incarnation: 0, pods: [], volumes: [] };

/** What the gate judges before anything new is created. */
function newIncarnation(seen: RestoreObservation, target: TargetFacts, safety: SafetyFacts): NewIncarnation {
  const old = oldData(seen, target);
  const isOpen = (pod: LifePod) => pod.incarnation < target.incarnation && !pod.fenced && !pod.terminating;
  return {
    policy: seen.restore.safetySnapshot,
    snapshot: safety.kind === 'skipped' ? 'none' : safety.isCurrent ? 'stored' : 'notCurrent',
    ...unsaved(old ?? nothing, safety.kind === 'kept' ? safety.members : []),
    isAnswered: safety.revision !== undefined,
    unisolatedPods: seen.pods.filter((pod) => isOpen(pod) && pod.startedBy === '').map(nameOf),
  };
}

/** They have served: the new incarnation begins when they have ended. */
function stopStarted({ pods, restore }: RestoreObservation): RestorePlan | undefined {
  const started = pods.filter((pod) => pod.startedBy === restore.uid && !pod.overdue);
  if (started.length === 0) return undefined;
  const steps = stopSteps(started, 'the snapshot of its volume is taken');
  return {
    ...take('SavingPresent', steps, 'waiting for members to end that were started for the snapshot'),
    lookAgainAfter: 500,
  };
}

/** Deletes pods that a restore has started for its snapshot. Their volumes stay. */
export function stopSteps(pods: readonly LifePod[], reason: string): readonly PlannedRestoreStep[] {
  return pods
    .filter((pod) => !pod.terminating)
    .filter(() => objectionsTo('deleteOldPod', { isReplaced: false, isStartedForSnapshot: true }).length === 0)
    .map(({ name, uid }) => ({ step: { do: 'deletePod', name, uid }, reason }));
}

function saved(safety: SafetyFacts): RestorePlan {
  return { steps: [], report: { phase: 'SavingPresent', reason: '', safety }, lookAgainAfter: 0 };
}

function nameOf({ name }: LifePod | LifeVolume): string {
  return name;
}
