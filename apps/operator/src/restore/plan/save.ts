// SPDX-License-Identifier: Apache-2.0
import { type NewIncarnation, objectionsTo } from '../../safety/gate.ts';
import type {
  ClusterPod,
  ClusterVolume,
  JobState,
  RestoreFacts,
  RestoreObservation,
  SafetyFacts,
  TargetFacts,
} from '../observation.ts';
import { mayBeOlder } from '../status.ts';
import { awaitTurn, fail, take, tryingAgain, wait } from './proposal.ts';
import type { PlannedRestoreStep, RestorePlan, RestoreStep } from './step.ts';

/**
 * Stores a snapshot of the present data (the safety snapshot). The old members were removed from the Service endpoints before, so that the
 * snapshot contains the last writes of clients. If no member runs, members with existing volumes are started for the snapshot, and stopped
 * afterwards. Undefined once the snapshot is stored or was skipped.
 */
export function save(seen: RestoreObservation, target: TargetFacts): RestorePlan | undefined {
  const { restore, jobs } = seen;
  if (restore.safety) return stopStarted(seen) ?? objection(seen, target, restore.safety);
  const old = oldData(seen, target);
  if (!old) return saved({ kind: 'skipped', why: 'no member and no volume of the cluster exists any more' });
  if (jobs.save.kind === 'idle' && restore.safetySnapshot !== 'Never') {
    const starting = startMembers(old);
    if (starting) return starting;
  }
  switch (jobs.save.kind) {
    case 'idle':
      return take('SavingPresent', [
        { step: saveStep(seen, target, old), reason: 'saving the data of the old members' },
      ]);
    case 'waiting':
      return awaitTurn('SavingPresent', jobs.save, 'copying data');
    case 'running':
      return wait('SavingPresent', awaited(old) || tryingAgain(jobs.save.lastFailure), 200);
    case 'failed':
      return saveAgain(jobs.save, saveStep(seen, target, old)) ?? goOnUnsaved(restore, jobs.save.why);
    case 'done':
      return settle(seen, target, jobs.save.value);
  }
}

/**
 * Retries after a temporary failure, for example while an API server restarts: this is no reason to fail, or to continue without a
 * snapshot. Undefined if the failure is not temporary, or has lasted too long.
 */
export function saveAgain(
  { passes, failingFor, limit = savePatience, why }: Extract<JobState<SafetyFacts>, { kind: 'failed' }>,
  step: RestoreStep,
): RestorePlan | undefined {
  if (!passes || failingFor >= limit) return undefined;
  const again = tryingAgain(why);
  return { ...take('SavingPresent', [{ step, reason: again }], again), requeueAfter: 2_000 };
}

/** Saving has failed, for example because the members reject the operator's credentials. This never counts as having no data to store. */
function goOnUnsaved({ safetySnapshot }: RestoreFacts, why: string): RestorePlan {
  return safetySnapshot === 'Required' ? fail(`${why}. ${remedy}`) : saved({ kind: 'skipped', why });
}

/**
 * Pods and volumes of the newest incarnation before this one. Volumes that an earlier restore kept are not included: they do not hold
 * present data.
 */
export interface OldData {
  readonly incarnation: number;
  readonly pods: readonly ClusterPod[];
  readonly volumes: readonly ClusterVolume[];
}

/**
 * Pods and volumes of the incarnation that served last. Pods of later incarnations are not included if they were left by a failed restore
 * and have never served clients. If that is not certain, the result is the pods and volumes of the newest incarnation that has any.
 */
export function oldData(seen: RestoreObservation, { incarnation, marker }: TargetFacts): OldData | undefined {
  const newest = dataBelow(seen, incarnation);
  const { from } = marker ?? {};
  if (!newest || !from?.clusterId) return newest;
  if (newest.volumes.length > 0 || newest.pods.some(({ ready }) => ready)) return newest;
  return dataBelow(seen, from.incarnation + 1) ?? newest;
}

/** Pods and volumes of the newest incarnation below the given one. */
function dataBelow({ pods, volumes }: RestoreObservation, next: number): OldData | undefined {
  const isOld = (item: ClusterPod | ClusterVolume) => item.incarnation < next;
  const present = [...pods.filter(isOld), ...volumes.filter((volume) => isOld(volume) && isData(volume))];
  if (present.length === 0) return undefined;
  const incarnation = Math.max(...present.map((item) => item.incarnation));
  return {
    incarnation,
    pods: pods.filter((pod) => pod.incarnation === incarnation),
    volumes: volumes.filter((volume) => volume.incarnation === incarnation && isData(volume)),
  };
}

function isData({ isIdentified, keptBy }: ClusterVolume): boolean {
  return isIdentified && keptBy === '';
}

/**
 * Starts old members on their volumes, but only if no old member runs. A running member is asked directly: its clients are still connected,
 * and started members would form a quorum with it. So clients could write after the snapshot, and these writes would be lost.
 */
function startMembers({ pods, volumes, incarnation }: OldData): RestorePlan | undefined {
  if (pods.some((pod) => pod.running && pod.startedBy === '' && !pod.terminating)) return undefined;
  const ending = pods.find((pod) => pod.terminating && !pod.overdue);
  if (ending) return wait('SavingPresent', `waiting for pod/${ending.name} to stop`, 500);
  const stopped = volumes.filter(({ name, terminating }) => !terminating && !pods.some((pod) => pod.name === name));
  if (stopped.length === 0) return undefined;
  const reason =
    'starting a pod on the volume of this member, without Service endpoints, to take a snapshot of the data';
  return take(
    'SavingPresent',
    stopped.map((volume) => startStep(volume, incarnation, reason)),
  );
}

export function startStep(
  { name, uid, member }: ClusterVolume,
  incarnation: number,
  why: string,
  held?: number,
): PlannedRestoreStep {
  return {
    step: { do: 'startMember', name, volumeUid: uid, incarnation, member, ...(held !== undefined && { held }) },
    reason: `member ${name}: ${why}`,
  };
}

/**
 * How long running members are asked: a member that restarts answers soon. Members that were started for the snapshot get more time,
 * because their volumes may have to be attached first. Half of the restore's time limit is left for the restore itself.
 */
const patience = { running: 15_000, started: 120_000 } as const;

/** How long saving is retried after temporary failures. No client is served meanwhile. */
const savePatience = 120_000;

function saveStep(seen: RestoreObservation, target: TargetFacts, old: OldData) {
  const { safetySnapshot, timeout } = seen.restore;
  const isStarted = old.pods.some((pod) => pod.startedBy !== '' && !pod.terminating);
  const isTaken = safetySnapshot !== 'Never';
  return {
    do: 'save',
    incarnation: target.incarnation,
    below: old.incarnation + 1,
    // Older incarnations may have pods left from a restore that never ended. Their data is used only if the newest incarnation has no data.
    newestOnly: Object.values(unsaved(old, [])).some((names) => names.length > 0),
    isTaken,
    patience: isTaken ? Math.min(patience[isStarted ? 'started' : 'running'], timeout / 2) : 0,
  } as const;
}

/** Pods and volumes that hold, or may hold, data of a member that was not saved. */
function unsaved(
  { pods, volumes }: OldData,
  saved: readonly string[],
): Pick<NewIncarnation, 'readyPods' | 'volumes' | 'podsWithData'> {
  const isUnsaved = ({ name }: ClusterPod | ClusterVolume) => !saved.includes(name);
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

/** If a required snapshot cannot be taken although there is data to save, the restore ends. */
function settle(seen: RestoreObservation, target: TargetFacts, safety: SafetyFacts): RestorePlan {
  return objection(seen, target, safety) ?? saved(safety);
}

export function objection(seen: RestoreObservation, target: TargetFacts, safety: SafetyFacts): RestorePlan | undefined {
  const objections = objectionsTo('restore', newIncarnation(seen, target, safety));
  if (objections.length === 0) return undefined;
  const evidence = objections.map((one) => one.evidence).join('; ');
  const failed = fail(`${shortcoming(safety)}Nothing is restored, because ${evidence}. ${remedy}`);
  // The stored snapshot is still reported: a user may want it.
  return safety.kind === 'kept' ? { ...failed, report: failed.report && { ...failed.report, safety } } : failed;
}

function shortcoming(safety: SafetyFacts): string {
  if (safety.kind === 'skipped') return `The safety snapshot could not be taken: ${safety.why.slice(0, 300)}. `;
  return safety.isCurrent ? '' : `A safety snapshot is stored, but ${mayBeOlder(safety.members)}. `;
}

const remedy =
  'Make the members reachable from the operator and create the EtcdRestore again, or set spec.safetySnapshot: IfPossible to restore without the snapshot. Without the snapshot, old volumes are kept, but data in pods without a volume is lost.';

const nothing: OldData = { incarnation: 0, pods: [], volumes: [] };

/** The evidence that the safety gate checks before the new incarnation is created. */
function newIncarnation(seen: RestoreObservation, target: TargetFacts, safety: SafetyFacts): NewIncarnation {
  const old = oldData(seen, target);
  const isOpen = (pod: ClusterPod) => pod.incarnation < target.incarnation && !pod.isolated && !pod.terminating;
  return {
    policy: seen.restore.safetySnapshot,
    snapshot: safety.kind === 'skipped' ? 'none' : safety.isCurrent ? 'stored' : 'notCurrent',
    ...unsaved(old ?? nothing, safety.kind === 'kept' ? safety.members : []),
    isAnswered: safety.revision !== undefined,
    unisolatedPods: seen.pods.filter((pod) => isOpen(pod) && pod.startedBy === '').map(nameOf),
  };
}

/** Stops the members that were started for the snapshot. The new incarnation begins after they have ended. */
function stopStarted({ pods, restore }: RestoreObservation): RestorePlan | undefined {
  const started = pods.filter((pod) => pod.startedBy === restore.uid && !pod.overdue);
  if (started.length === 0) return undefined;
  const steps = stopSteps(started, 'deleting a pod that was started only for the safety snapshot');
  return {
    ...take('SavingPresent', steps, 'waiting for the pods that were started for the safety snapshot to stop'),
    requeueAfter: 500,
  };
}

/** Deletes pods that a restore has started for its snapshot. Their volumes stay. */
export function stopSteps(pods: readonly ClusterPod[], reason: string): readonly PlannedRestoreStep[] {
  return pods
    .filter((pod) => !pod.terminating)
    .filter(() => objectionsTo('deleteOldPod', { isReplaced: false, isStartedForSnapshot: true }).length === 0)
    .map(({ name, uid }) => ({ step: { do: 'deletePod', name, uid }, reason }));
}

export function saved(safety: SafetyFacts): RestorePlan {
  return { steps: [], report: { phase: 'SavingPresent', reason: '', safety }, requeueAfter: 0 };
}

function nameOf({ name }: ClusterPod | ClusterVolume): string {
  return name;
}
