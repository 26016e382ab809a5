// SPDX-License-Identifier: Apache-2.0
import { objectionsTo } from '../../../safety/gate.ts';
import type { ClusterPod, RestoreObservation, SourceFacts, TargetFacts } from '../../observation.ts';
import { seenRevision } from '../fit.ts';
import { isPending } from '../phase.ts';
import { fail, finish, patiently, take, wait } from '../proposal.ts';
import { type OldData, objection, oldData, startStep, stopSteps } from '../save.ts';
import type { PlannedRestoreStep, RestorePlan } from '../step.ts';
import { type AskedPod, askedPods, survivorOf, unreadableOf } from './asked-pods.ts';
import { chooseSurvivor } from './choose-survivor.ts';
import { heldIndex, hold, isHeld, settleHolder, takeHeld, takeWhole, withHeld } from './hold.ts';

/**
 * Why the cluster cannot be recovered from one of its members: there is no such member, or it is not certain that all other members have
 * stopped. Checked before anything is changed. Undefined if recovery is possible.
 */
export function whyNotRecoverable(seen: RestoreObservation): RestorePlan | undefined {
  const { restore, cluster, jobs } = seen;
  // A background job asks the members whether they have a quorum. If a source is recorded, they were asked before this observation.
  const isRecorded = restore.source !== undefined;
  const isAsked = isRecorded || jobs.verify.kind === 'done';
  if (!restore.survivor) return undefined;
  const { clusterName } = restore;
  if (!cluster)
    return finish(
      'Failed',
      `EtcdCluster ${clusterName} does not exist, but source.survivor needs an existing EtcdCluster. Restore a backup instead`,
    );
  if (!('problems' in cluster.desired) && cluster.desired.quorumLoss === 'Never')
    return finish(
      'Failed',
      `EtcdCluster ${clusterName} is not recovered from its members, because its spec.recovery.quorumLoss is Never. Set it to Manual, or restore a backup; nothing is changed`,
    );
  // The restore annotation of an EtcdRestore that no longer exists describes the previous incarnation only while the incarnation that this
  // EtcdRestore began has no cluster ID.
  const marker = cluster.clusterId === '' ? cluster.marker : undefined;
  const old = oldData(seen, { ...cluster, incarnation: cluster.incarnation + 1, marker });
  if (!old)
    return finish(
      'Failed',
      `no member of EtcdCluster ${clusterName} has a pod or a volume any more. Restore a backup instead`,
    );
  const names = new Set([...old.pods, ...old.volumes].map(({ name }) => name));
  const wanted = restore.survivor.member;
  if (wanted !== undefined && !names.has(wanted))
    return finish(
      'Failed',
      `spec.source.survivor.member is ${wanted}, but member ${wanted} has no pod and no volume. Members with data: ${[...names].sort().join(', ')}`,
    );
  const veto = whoMayServe(old.pods, isAsked);
  // If the members have just been asked, their answers decide, unless there is a veto. Otherwise the answers are old, so it is checked
  // again whether a member has a leader.
  const led = (isRecorded || veto !== undefined) && ledAmong(old.pods);
  if (led) return needlessNow(led);
  const locked = isAsked && !old.pods.some(({ ready }) => ready) && whyLocked(old, cluster, wanted);
  if (locked) return finish('Failed', locked);
  return veto === undefined ? undefined : wait('Verifying', veto, 2_000);
}

/**
 * Why the operator could not authenticate with a member. A member that runs alone on a copy of a volume elects itself leader, so
 * authentication works there. The etcd in a pod without a volume may have no leader, which authentication needs.
 */
function whyLocked({ volumes }: OldData, { limits }: TargetFacts, wanted: string | undefined): string | undefined {
  const readable = volumes.filter(({ terminating }) => !terminating);
  const isOnVolume = wanted === undefined ? readable.length > 0 : readable.some(({ name }) => name === wanted);
  if (isOnVolume || !limits.hasLogin) return undefined;
  const who = wanted === undefined ? 'the members have' : `member ${wanted} has`;
  return `no snapshot can be taken: ${who} no volume, spec.auth of the EtcdCluster requires a login, and etcd needs a quorum to check a login. Make a majority of the members run again, or restore a backup; nothing is changed`;
}

const needless = 'the cluster has a quorum, and recovery is not needed';

/** As long as `surveyMembers` asks the members: a leader that one observation sees may already be gone. */
const leaderPatience = 15_000;

function needlessNow({ name }: ClusterPod): RestorePlan {
  const waiting = wait(
    'Verifying',
    `member ${name} has a leader, so the cluster may have a quorum. Waiting up to 15 s to see whether the leader stays; nothing is changed`,
    1_000,
  );
  const ended = finish('Failed', `member ${name} has a leader: ${needless}. Nothing is changed`);
  return patiently(waiting, leaderPatience, ended);
}

/** A member that has a leader. Without a quorum, a member has a leader at most until the next election. */
function ledAmong(pods: readonly ClusterPod[]): ClusterPod | undefined {
  return pods.find((pod) => pod.startedBy === '' && pod.survivor?.answer?.hasLeader);
}

/** Why a member may be serving clients although the operator cannot reach it; undefined if there is no such member. */
function whoMayServe(pods: readonly ClusterPod[], isAsked: boolean): string | undefined {
  const unseen = pods.find((pod) => pod.survivor?.mayRunUnseen);
  if (unseen) return mayRun(unseen);
  const ready = isAsked && pods.find((pod) => pod.ready && pod.startedBy === '');
  return ready ? serves(ready) : undefined;
}

function serves({ name }: ClusterPod): string {
  return `pod/${name} is Ready, so its etcd serves clients with a quorum, but the operator cannot reach it. Check network policies and the operator's certificate. Nothing is changed until the operator reaches the pod`;
}

function mayRun({ name, survivor }: ClusterPod): string {
  const node = survivor?.node ?? '';
  return `node ${node} may still run pod/${name}: the node does not report, or the operator cannot read nodes and the pod does not answer. Make the node reachable. If the node is permanently gone, delete the Node, or add the taint node.kubernetes.io/out-of-service=nodeshutdown:NoExecute to the Node. Nothing is changed until then`;
}

/**
 * Stops the remaining members and reads their volumes with pods that change nothing on the volumes. The member with the most advanced
 * write-ahead log (WAL) is chosen. The snapshot for the first member is taken from a copy of the chosen member's data, in which everything
 * that the member has received is committed. Undefined once the snapshot can be taken, and after the first member has received it.
 */
export function recover(seen: RestoreObservation, source: SourceFacts, target: TargetFacts): RestorePlan | undefined {
  const { restore, seed } = seen;
  const isDelivered = seed !== undefined && seed.stage !== 'pending' && seed.stage !== 'waitingForData';
  if (isDelivered) {
    const steps = stopSteps(
      ownPods(seen),
      'deleting a pod that was started only to read data of a member: the first member has received the data',
    );
    return steps.length > 0 ? take('Seeding', steps) : undefined;
  }
  const old = oldData(seen, target);
  if (!old) return fail('the pods and volumes of all members are gone');
  // Checked before any waiting: isolated members serve no client.
  const led = ledAmong(old.pods);
  if (led) return fail(`member ${led.name} has a leader again: ${needless}`);
  const veto = whoMayServe(old.pods, true);
  if (veto !== undefined) return wait('SavingPresent', veto, 2_000);
  if (!restore.safety) return hold(seen, old, target);
  const refusal = objection(seen, target, restore.safety) ?? settleHolder(seen);
  if (refusal) return refusal;
  if (isHeld(seen, source)) return undefined;
  const chosen = isPending(source) ? undefined : source.survivor?.member;
  return readVolumes(seen, old, chosen) ?? (chosen === undefined ? choose(seen, old, source, target) : undefined);
}

function ownPods({ pods, restore }: RestoreObservation): readonly ClusterPod[] {
  return pods.filter((pod) => pod.startedBy === restore.uid);
}

/** Reads every volume, or only that of the chosen member. Members that run on these volumes are stopped first; their data is on disk. */
function readVolumes(
  seen: RestoreObservation,
  { incarnation, pods, volumes }: OldData,
  chosen: string | undefined,
): RestorePlan | undefined {
  const { restore } = seen;
  const wanted = volumes.filter(({ name, terminating }) => !terminating && (chosen === undefined || name === chosen));
  const podOf = (name: string) => pods.find((pod) => pod.name === name);
  const inTheWay = wanted.flatMap(({ name }) => podOf(name) ?? []).filter((pod) => pod.startedBy !== restore.uid);
  if (inTheWay.length > 0) {
    const steps = inTheWay.filter((pod) => !pod.terminating && isStoppable(pod)).map(stopStep);
    const names = inTheWay.map(({ name }) => `pod/${name}`).join(', ');
    return { ...take('SavingPresent', steps, `waiting for ${names} to stop`), requeueAfter: 500 };
  }
  const ended = wanted.flatMap(({ name }) => podOf(name) ?? []).filter(({ survivor }) => survivor?.hasEnded);
  if (ended.length > 0) {
    const names = ended.map(({ name }) => `pod/${name}`).join(', ');
    const steps = stopSteps(
      ended,
      'deleting a pod that stopped before its data was copied; the operator creates this pod again',
    );
    return { ...take('SavingPresent', steps, `waiting for ${names} to stop`), requeueAfter: 500 };
  }
  const missing = wanted.filter(({ name }) => !podOf(name));
  const reason = 'starting a pod that reads the volume of this member without changing it';
  return missing.length > 0
    ? take(
        'SavingPresent',
        missing.map((volume) => startStep(volume, incarnation, reason, heldIndex(seen, volume.name))),
      )
    : undefined;
}

function stopStep({ name, uid }: ClusterPod): PlannedRestoreStep {
  return {
    step: { do: 'deletePod', name, uid },
    reason: `stopping pod/${name}, so that its volume can be read; the cluster has no quorum. The volume is kept`,
  };
}

function isStoppable({ survivor }: ClusterPod): boolean {
  const evidence = { isReplaced: false, isStartedForSnapshot: false, isReadFromVolume: survivor?.onVolume ?? false };
  return objectionsTo('deleteOldPod', evidence).length === 0;
}

function choose(seen: RestoreObservation, old: OldData, source: SourceFacts, target: TargetFacts): RestorePlan {
  const asked = askedPods(old);
  const waiting = asked.find((pod) => isAwaited(pod));
  if (waiting) return wait('SavingPresent', waiting.survivor.why, 500);
  const chosen = withMissing(chooseAmong(seen, asked, source), seenRevision(seen, target));
  const unreachable = asked.find(isOnlyCopyUnreachable);
  if (!unreachable) return chosen;
  // Waits for this member even if another member was chosen: this member may be restarting, and may have the most data.
  const why = `waiting for etcd in pod/${unreachable.name} to answer, because this pod holds the only copy of its data`;
  return patiently(wait('SavingPresent', why, 500), answerPatience, chosen);
}

/** Longer than the first or the second restart of a container takes. */
const answerPatience = 30_000;

function chooseAmong(seen: RestoreObservation, asked: readonly AskedPod[], source: SourceFacts): RestorePlan {
  const found = chooseSurvivor(
    asked.flatMap(({ name, survivor }) => survivorOf(name, survivor)),
    asked.flatMap(unreadableOf),
    seen.restore.survivor?.member,
  );
  const chosen = found.kind === 'chosen' ? asked.find(({ name }) => name === found.survivor.name) : undefined;
  const whole = found.kind === 'chosen' && takeWhole(seen, found, chosen?.survivor.reading, source);
  const held = whole || takeHeld(seen, asked, source);
  if (held) return held;
  if (found.kind === 'refused') return fail(withHeld(seen, asked, found.why));
  const { name, term, index, known } = found.survivor;
  const { survivor } = chosen ?? {};
  if (survivor?.broken !== undefined)
    return fail(withHeld(seen, asked, `the data of member ${name} cannot be used: ${survivor.broken}`));
  const answer = survivor?.answer;
  // The etcd on a copy runs alone and elects itself leader. Once it has a leader, it has applied all entries of its log.
  if (!answer || (known === 'log' && !answer.hasLeader))
    return wait('SavingPresent', `waiting for etcd in pod/${name} to serve a copy of the data of member ${name}`, 250);
  const { warning } = found;
  const { reading } = survivor;
  const facts: SourceFacts = {
    ...source,
    path: `${known === 'log' ? 'pvc' : 'pod'}/${name}`,
    bytes: answer.bytes,
    revision: answer.revision,
    ...(reading?.kind === 'log' && reading.newestEntry > 0 && { newestEntry: reading.newestEntry }),
    verified: 'Survivor',
    survivor: { member: name, term, index, ...(warning !== undefined && { warning }) },
  };
  return { steps: [], report: { phase: 'Seeding', reason: warning ?? '', source: facts }, requeueAfter: 0 };
}

/**
 * Adds a warning if the data ends below a revision at which the members were seen before: everything that a member has applied was
 * committed, so writes are missing. If the logs of a majority were read, raft rules this out, unless a volume was replaced by an older copy
 * of itself.
 */
function withMissing(plan: RestorePlan, seen: number): RestorePlan {
  const { source } = plan.report ?? {};
  if (!plan.report || !source?.survivor || source.revision >= seen) return plan;
  const missing = `the members were seen at revision ${seen} before, and this data ends at revision ${source.revision}: what was written in between is missing`;
  const warning = [source.survivor.warning, missing].filter((text) => text !== undefined).join('; ');
  const survivor = { ...source.survivor, warning };
  return { ...plan, report: { ...plan.report, reason: warning, source: { ...source, survivor } } };
}

/** True if, as far as is known, the member's data is only in its pod, and its etcd does not answer at present. */
function isOnlyCopyUnreachable({ mayHoldData, startedBy, survivor }: AskedPod): boolean {
  return startedBy === '' && mayHoldData && !survivor.onVolume && !survivor.reading && !survivor.answer;
}

/** True while the pod reads its volume. This takes only seconds, so no member is chosen before. */
function isAwaited({ survivor, startedBy }: AskedPod): boolean {
  return startedBy !== '' && survivor.reading === undefined && survivor.broken === undefined;
}
