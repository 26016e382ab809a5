// SPDX-License-Identifier: Apache-2.0
import type { ClusterPod, ClusterVolume } from '../observation.ts';
import type { RestoreStep } from '../plan/step.ts';
import type { RestoreModel } from './model.ts';

/** Violations of the rules by one step of a restore, as text (operator rule 4, safety rules 13 to 15). Checked after every step. */
export function wrongsOf(step: RestoreStep, model: RestoreModel): readonly string[] {
  return (rulesFor(step, model)[step.do] ?? []).filter((wrong) => wrong !== false);
}

/** Errors and omissions of the status, as text. */
export function wrongsOfReport({ reported, cluster }: RestoreModel): readonly string[] {
  const { phase, incarnation, clusterId, revision } = reported;
  const isNamed = incarnation === cluster?.incarnation && clusterId === cluster?.clusterId && revision !== undefined;
  return phase === 'Succeeded' && !isNamed ? ['succeeded, and does not name its cluster and revision'] : [];
}

function rulesFor(
  step: RestoreStep,
  model: RestoreModel,
): Partial<Record<RestoreStep['do'], readonly (string | false)[]>> {
  const { cluster, pods, source, safety, seed } = model;
  const old = pods.filter((pod) => pod.incarnation < (cluster?.incarnation ?? 0) && !pod.overdue);
  const served = old.filter((pod) => pod.startedBy === '');
  const isOpen = served.some((pod) => !pod.isolated);
  const isOld = isOfOldIncarnation(step, model);
  return {
    // The data of survivors is read only after they were isolated, so it is not checked here.
    mark: [!source && 'marked without a source', !model.survivors && unread('marked', model)],
    settleSeed: [unread('settled', model)],
    createCluster: [!source && 'made without a source'],
    save: [isOpen && 'saved before the old pods were isolated'],
    startMember: [served.some((pod) => pod.running) && 'a member is started beside one that clients may hold on to'],
    createSeed: [
      isOpen && 'seed before the old pods were isolated',
      !safety && 'seed before it is saved',
      isUnsaved(model) && 'a new incarnation beside data that was asked to be saved, and was not',
      !model.survivors && served.length < old.length && 'seed beside members that were started for a snapshot',
      isBelowSeen(step, model) && 'revisions begin below what clients have seen',
    ],
    recordIdentity: [!seed?.isIdentified && 'recorded before the seed was identified', unread('recorded', model)],
    deletePod: wrongsOfDeletedPod(step, model),
    deleteVolume: [
      isOld && !cluster?.grown && 'a volume goes before the new incarnation is available',
      isOld && old.length > 0 && 'a volume goes before the pods',
      isOld && !isRetentionOver(model) && 'a volume goes, and nobody said that it may',
    ],
  };
}

/** True if a snapshot is required, but there is none, or there is data that is newer than the stored snapshot. */
function isUnsaved(model: RestoreModel): boolean {
  const { cluster, pods, volumes, safety } = model;
  const isOld = ({ incarnation }: ClusterPod | ClusterVolume) => incarnation < (cluster?.incarnation ?? 0);
  const holding = [
    ...pods.filter((pod) => isOld(pod) && (pod.ready || pod.mayHoldData)),
    ...volumes.filter((volume) => isOld(volume) && volume.isIdentified && volume.keptBy === ''),
  ];
  const stored = safety?.kind === 'kept' ? safety.revision : 0;
  return model.policy === 'Required' && holding.some(({ name }) => model.held(name) > stored);
}

/**
 * True if the new data begins below a revision that members report. The status of the EtcdCluster may have a lower revision than its
 * members.
 */
function isBelowSeen(step: RestoreStep, model: RestoreModel): boolean {
  return step.do === 'createSeed' && step.above < (model.told() ?? 0);
}

/**
 * Before the new incarnation is available, only pods that the restore itself has started may be deleted, and survivors, whose data is on
 * volumes.
 */
function wrongsOfDeletedPod(step: RestoreStep, model: RestoreModel): readonly (string | false)[] {
  const mayGo = isStarted(step, model) || model.survivors !== undefined || model.cluster?.grown;
  return [
    isOfOldIncarnation(step, model) && !mayGo && 'a pod goes before the new incarnation is available',
    isUnheld(step, model) && 'a member that runs is stopped, and what it has applied is nowhere else',
  ];
}

/** True if the step stops a survivor before a snapshot of it is held. */
function isUnheld(step: RestoreStep, { pods, survivors, trouble }: RestoreModel): boolean {
  const stopped = 'uid' in step ? pods.find(({ uid }) => uid === step.uid) : undefined;
  const isLive = stopped?.startedBy === '' && stopped.survivor?.answer !== undefined;
  return isLive && !survivors?.isHeld && !trouble.survivor?.holderFails;
}

function isStarted(step: RestoreStep, { pods }: RestoreModel): boolean {
  return 'uid' in step && pods.some(({ uid, startedBy }) => uid === step.uid && startedBy !== '');
}

function isRetentionOver({ retention, completedAt, completedElapsed, elapsed }: RestoreModel): boolean {
  return retention !== undefined && completedAt > 0 && elapsed - completedElapsed >= Math.min(retention, 3_600_000);
}

function unread(what: string, { source }: RestoreModel): string | false {
  return source?.verified === 'Pending' && `${what} on a source that nobody has read`;
}

function isOfOldIncarnation(step: RestoreStep, { cluster, pods, volumes }: RestoreModel): boolean {
  const present = cluster?.incarnation ?? 0;
  return (
    'uid' in step && [...pods, ...volumes].some(({ uid, incarnation }) => uid === step.uid && incarnation < present)
  );
}
