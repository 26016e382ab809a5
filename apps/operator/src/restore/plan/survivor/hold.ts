// SPDX-License-Identifier: Apache-2.0
import { objectionsTo } from '../../../safety/gate.ts';
import type {
  ClusterPod,
  HolderFacts,
  JobState,
  RestoreObservation,
  SafetyFacts,
  SourceFacts,
  SurvivorReading,
  TargetFacts,
} from '../../observation.ts';
import { awaitTurn, patiently, take, tryingAgain, wait } from '../proposal.ts';
import { type OldData, saved } from '../save.ts';
import type { PlannedRestoreStep, RestorePlan } from '../step.ts';
import { type AskedPod, survivorOf, unreadableOf } from './asked-pods.ts';
import type { ChosenSurvivor } from './choose-survivor.ts';

/** A member whose etcd has just answered, so what it has applied can be read although it has no quorum. */
type LivePod = ClusterPod & { readonly survivor: { readonly answer: NonNullable<HolderFacts['answer']> } };

const phase = 'SavingPresent';

/** How long to wait for the answer of a member whose container runs. A member that was restarted without a quorum never answers. */
const answerPatience = 5_000;

/** How long to wait for the pod that holds the snapshot: until it is scheduled, has its images, and has the data. */
const holderPatience = 120_000;

/** How long sending the snapshot is retried. */
const sendPatience = 60_000;

/**
 * Before the members that still run on volumes are stopped, has a snapshot of one of them stored in a pod of its own (the holder): the
 * volume may turn out to be damaged, which a running etcd does not notice. The snapshot is of the member with the highest index, so it
 * contains everything that the other members have applied. If no snapshot can be taken, the recovery continues, and the status says why.
 */
export function hold(seen: RestoreObservation, old: OldData, { limits }: TargetFacts): RestorePlan {
  const { holder, jobs } = seen;
  const onVolumes = runningOnVolumes(old);
  const [best] = onVolumes.flatMap(liveOf).sort((a, b) => b.survivor.answer.index - a.survivor.answer.index);
  if (limits.hasLogin && onVolumes.length > 0)
    return without('spec.auth of the EtcdCluster requires a login, and etcd needs a quorum to check a login');
  const plan = best || holder ? holdBest(seen, old, best) : saved({ kind: 'skipped', why: isTheSource });
  const unreachable = onVolumes.find((pod) => pod.running && !pod.survivor?.answer);
  if (!unreachable || jobs.save.kind !== 'idle' || holder) return plan;
  return patiently(
    wait(
      phase,
      `waiting for etcd in pod/${unreachable.name} to answer, so that a snapshot can be taken before the pod is stopped`,
      500,
    ),
    answerPatience,
    plan,
  );
}

const isTheSource = 'this restore takes the data from the members themselves, and the volumes of all members are kept';

function without(why: string): RestorePlan {
  return saved({ kind: 'skipped', why: `${isTheSource}. No snapshot of a running member was taken: ${why}` });
}

function runningOnVolumes({ pods, volumes }: OldData): readonly ClusterPod[] {
  const isThere = (name: string) => volumes.some((volume) => volume.name === name && !volume.terminating);
  return pods.filter((pod) => pod.startedBy === '' && !pod.terminating && pod.survivor?.onVolume && isThere(pod.name));
}

function liveOf(pod: ClusterPod): readonly LivePod[] {
  const { survivor } = pod;
  return survivor?.answer ? [{ ...pod, survivor: { ...survivor, answer: survivor.answer } }] : [];
}

function holdBest(seen: RestoreObservation, old: OldData, best: LivePod | undefined): RestorePlan {
  const { holder, jobs } = seen;
  if (holder && isOutdated(holder, best)) return dropAndWait(holder);
  if (jobs.save.kind === 'done') return saved(jobs.save.value);
  if (!holder) return best ? make(seen, old, best) : without('no running member answers any more');
  // The holder received the snapshot before this process started.
  const { answer } = holder;
  if (answer?.hasLeader) return saved(heldFacts(holder, answer));
  if (holder.broken !== undefined) return without(`pod/${holder.name} does not hold the snapshot: ${holder.broken}`);
  if (holder.stage === 'waitingForData' && holder.ip !== '' && best) return send(holder, jobs.save, best);
  return patiently(wait(phase, holder.why, 250), holderPatience, without(holder.why));
}

/**
 * True if the holder must be replaced: it is being deleted; or it was created for another pod than that of the best member (which may have
 * been restarted since), and it is still empty or has no more entries than the best member has now.
 */
function isOutdated({ podUid, index, terminating, stage }: HolderFacts, best: LivePod | undefined): boolean {
  if (terminating || best === undefined || best.uid === podUid) return terminating;
  const isEmpty = stage === 'pending' || stage === 'waitingForData';
  return isEmpty || best.survivor.answer.index >= index;
}

function dropAndWait(holder: HolderFacts): RestorePlan {
  const why = `waiting for pod/${holder.name} to stop`;
  const steps = dropSteps(
    holder,
    `deleting pod/${holder.name}: a later snapshot of a running member replaces the snapshot in this pod`,
  );
  return patiently({ ...take(phase, steps, why), requeueAfter: 500 }, holderPatience, without(`${why} took too long`));
}

function make(seen: RestoreObservation, { volumes }: OldData, { name, uid, survivor }: LivePod): RestorePlan {
  const { index, applied, bytes } = survivor.answer;
  const version = volumes.find((volume) => volume.name === name)?.member.version ?? '';
  const secret = {
    step: { do: 'createSecret' },
    reason: 'creating the Secret with the key for snapshot transfers',
  } as const;
  const create = {
    step: {
      do: 'createHolder',
      ...{ member: name, podUid: uid, index, bytes, version },
      ...(applied !== undefined && { applied }),
    },
    reason: `creating a pod that holds a snapshot of member ${name}, before that member is stopped`,
  } as const;
  const plan = take(phase, seen.hasSecret ? [create] : [secret, create]);
  // A quota or a webhook may prevent the creation of the pod.
  return patiently(plan, holderPatience, without('the pod for the snapshot was not created within 2 minutes'));
}

function send({ name, ip }: HolderFacts, job: JobState<SafetyFacts>, { name: member }: LivePod): RestorePlan {
  const step = {
    step: { do: 'hold', member, ip },
    reason: `sending a snapshot of member ${member} to pod/${name}`,
  } as const;
  switch (job.kind) {
    case 'idle':
    case 'done':
      return take(phase, [step]);
    case 'waiting':
      return awaitTurn(phase, job, 'copying data');
    case 'running':
      return wait(phase, tryingAgain(job.lastFailure), 200);
    case 'failed':
      if (!job.passes || job.failingFor >= sendPatience) return without(job.why);
      return { ...take(phase, [step], tryingAgain(job.why)), requeueAfter: 1_000 };
  }
}

/** What is recorded of the snapshot in a pod. */
export function heldFacts(
  { name, member }: Pick<HolderFacts, 'name' | 'member'>,
  { revision, bytes }: Pick<NonNullable<HolderFacts['answer']>, 'revision' | 'bytes'>,
): SafetyFacts {
  return { kind: 'kept', path: `pod/${name}`, revision, bytes, isCurrent: false, members: [member] };
}

/**
 * Disables the restore tool in the holder once it has restored the snapshot: after a reboot of its node, the holder must not restore the
 * snapshot again. Undefined if nothing has to be done.
 */
export function settleHolder({ holder }: RestoreObservation): RestorePlan | undefined {
  if (!holder?.answer || holder.isSettled || holder.terminating) return undefined;
  const { name, uid } = holder;
  return take(phase, [{ step: { do: 'settleHolder', name, uid }, reason: `pod/${name} holds the snapshot` }]);
}

/** True if the recorded source is the snapshot in the pod that holds it. */
export function isHeld({ holder }: RestoreObservation, { path }: SourceFacts): boolean {
  return holder !== undefined && path === pathOf(holder);
}

/** The index up to which a snapshot of this member is held; undefined if none is held, or if the index is not known. */
export function heldIndex({ restore, holder }: RestoreObservation, member: string): number | undefined {
  const isThere = restore.safety?.kind === 'kept' && !holder?.terminating && holder?.broken === undefined;
  return isThere && holder?.member === member ? holder.applied : undefined;
}

/**
 * Uses the held snapshot instead of a copy of the chosen member's volume, if the log on the volume ends with the last entry that the member
 * had applied before the snapshot was taken: a copy would have the same data. Undefined if the log has more entries, or if the snapshot is
 * of another member.
 */
export function takeWhole(
  seen: RestoreObservation,
  { survivor: { name, known, term, index }, warning }: ChosenSurvivor,
  reading: SurvivorReading | undefined,
  source: SourceFacts,
): RestorePlan | undefined {
  const { holder } = seen;
  if (!holder || known !== 'log' || heldIndex(seen, name) !== index) return undefined;
  if (!holder.answer?.hasLeader)
    return wait(phase, `waiting for etcd in pod/${holder.name} to serve the snapshot of member ${name}`, 250);
  const { bytes, revision } = holder.answer;
  const facts: SourceFacts = {
    ...{ ...source, path: pathOf(holder), bytes, revision, verified: 'Survivor' },
    ...(reading?.kind === 'log' && reading.newestEntry > 0 && { newestEntry: reading.newestEntry }),
    survivor: { member: name, term, index, ...(warning !== undefined && { warning }) },
  };
  return { steps: [], report: { phase: 'Seeding', reason: warning ?? '', source: facts }, requeueAfter: 0 };
}

/**
 * Uses the held snapshot instead of the volume of the same member, if that volume is damaged and no other member's log reaches as far as
 * the snapshot. A volume that cannot be read now may be readable later: then the user decides, by naming the member in the spec. Undefined
 * if the snapshot is not used.
 */
export function takeHeld(
  { restore, holder }: RestoreObservation,
  asked: readonly AskedPod[],
  source: SourceFacts,
): RestorePlan | undefined {
  if (restore.safety?.kind !== 'kept' || !holder || holder.terminating || holder.broken !== undefined) return undefined;
  const { name, member, index, answer } = holder;
  const [stopped] = asked.filter((pod) => pod.name === member);
  const flaw = flawOf(stopped, holder);
  const wanted = restore.survivor?.member;
  const isWanted = wanted === undefined ? flaw?.isLasting : wanted === member;
  const others = asked.filter((pod) => pod !== stopped);
  if (!flaw || !isWanted || isReached(asked, holder)) return undefined;
  if (!answer?.hasLeader)
    return wait(phase, `waiting for etcd in pod/${name} to serve a snapshot of member ${member}`, 250);
  const { bytes, revision } = answer;
  const warning = [
    `the volume of member ${member} cannot be used (${flaw.why}), so the snapshot from before the member was stopped is used. Writes that the member had received but not applied are missing`,
    ...others.flatMap(unreadableOf).map((one) => `the data of member ${one.name} could not be read and is not used`),
  ].join('; ');
  const survivor = { member, term: 0, index, warning };
  const facts: SourceFacts = { ...source, path: pathOf(holder), bytes, revision, verified: 'Survivor', survivor };
  return { steps: [], report: { phase: 'Seeding', reason: warning, source: facts }, requeueAfter: 0 };
}

interface Flaw {
  readonly why: string;
  /** True if another attempt to read the volume, or to start etcd on a copy of it, would end the same way. */
  readonly isLasting: boolean;
}

/** Why the volume of the member whose snapshot is held cannot be used; undefined if it can. */
function flawOf(pod: AskedPod | undefined, { index }: HolderFacts): Flaw | undefined {
  if (!pod) return { why: 'it is gone', isLasting: true };
  const { reading, broken } = pod.survivor;
  const [unreadable] = unreadableOf(pod);
  if (unreadable)
    return {
      ...unreadable,
      isLasting: reading?.kind === 'blank' || (reading?.kind === 'unreadable' && reading.isDamaged === true),
    };
  if (reading?.kind === 'log' && reading.index < index)
    return {
      why: `the WAL on the volume ends at index ${reading.index}, but the member had committed entries up to index ${index}`,
      isLasting: true,
    };
  return broken === undefined ? undefined : { why: broken, isLasting: reading?.kind === 'log' };
}

/** Adds to the message of a failure where the held snapshot is, because the member of which it was taken may not start again. */
export function withHeld({ restore, holder }: RestoreObservation, asked: readonly AskedPod[], failure: string): string {
  if (restore.safety?.kind !== 'kept' || !holder) return failure;
  const { name, member } = holder;
  const where = `A snapshot of member ${member}, taken before the member was stopped, is in pod/${name} until this EtcdRestore is deleted`;
  const how = `To use this snapshot, set spec.source.survivor.member of this EtcdRestore to ${member}`;
  const flaw = flawOf(
    asked.find((pod) => pod.name === member),
    holder,
  );
  // A volume that can be used has at least the data of the snapshot, so using the snapshot is not recommended then.
  return [failure, where, ...(flaw && !isReached(asked, holder) ? [how] : [])].join('. ');
}

/** True if the log of another member has all entries that the snapshot contains. */
function isReached(asked: readonly AskedPod[], { member, index }: HolderFacts): boolean {
  const logs = asked.flatMap((pod) => survivorOf(pod.name, pod.survivor));
  return logs.some((log) => log.name !== member && log.index >= index);
}

function pathOf({ name }: HolderFacts): string {
  return `pod/${name}`;
}

/**
 * Deletes the pod that holds a snapshot once it is no longer needed: when the new incarnation serves, or if the member of the snapshot was
 * never stopped. After a failure the pod is kept, because it may have the only copy of the data. It is deleted together with the
 * EtcdRestore.
 */
export function dropHolder(
  { holder, pods }: RestoreObservation,
  how: 'succeeded' | 'failed',
): readonly PlannedRestoreStep[] {
  const isUntouched = pods.some(({ uid }) => uid === holder?.podUid);
  return holder && (how === 'succeeded' || isUntouched) ? dropSteps(holder, 'the restore has finished') : [];
}

function dropSteps({ name, uid, terminating }: HolderFacts, reason: string): readonly PlannedRestoreStep[] {
  const evidence = { isReplaced: false, isStartedForSnapshot: true };
  return terminating || objectionsTo('deleteOldPod', evidence).length > 0
    ? []
    : [{ step: { do: 'deletePod', name, uid }, reason }];
}
