// SPDX-License-Identifier: Apache-2.0

import type { Desired } from '../../cluster/desired.ts';
import { seedName } from '../../identity/member-naming.ts';
import { objectionsTo } from '../../safety/gate.ts';
import type {
  JobState,
  OtherOwnerPod,
  RestoreObservation,
  SeedAnswer,
  SeedFacts,
  SourceFacts,
  TargetFacts,
} from '../observation.ts';
import { expectedRevision, seenRevision, whyUnfit } from './fit.ts';
import { isPending } from './phase.ts';
import { objectionToNewCluster } from './prepare.ts';
import { awaitTurn, fail, patiently, progress, take, tryingAgain, wait } from './proposal.ts';
import { save } from './save.ts';
import type { RestorePlan, SurvivorData } from './step.ts';
import { recover } from './survivor/recover.ts';
import { dataOfSurvivors } from './survivor/survivor-data.ts';
import { record, verifyAfterwards } from './verify.ts';

/**
 * From the annotated EtcdCluster to a first member that serves the restored data: the old members are removed from the Service
 * endpoints, their data is saved, the first member is created and receives the snapshot, and its revision and cluster ID are checked.
 * No data of the previous incarnation is deleted here; any failure rolls back (operator rule 4).
 */
export function seed(seen: RestoreObservation, source: SourceFacts, target: TargetFacts, now: number): RestorePlan {
  const { restore } = seen;
  const { desired } = target;
  if (target.deleting) return wait('Seeding', 'the EtcdCluster is being deleted', 5_000);
  if (restore.startedAt > 0 && now - restore.startedAt > restore.timeout) {
    return fail(
      `the cluster was not restored within ${restore.timeout / 1000} s: ${whatIsMissing(seen, source, target)}`,
    );
  }
  if ('problems' in desired) return fail(`the spec of the EtcdCluster is invalid: ${desired.problems.join('; ')}`);
  if (restore.startedAt === 0)
    return { steps: [], report: { phase: 'Isolating', reason: '', started: true }, requeueAfter: 0 };
  return (
    recordCopy(seen, source) ??
    settleSource(seen, source, target, desired) ??
    awaitSuspension(seen, target) ??
    isolate(seen, source, target) ??
    (restore.survivor ? recoverAndMake(seen, source, target) : seen.seed ? undefined : save(seen, target)) ??
    awaitSeed(seen, source, target, desired)
  );
}

/**
 * Recovers from the data of an old member. The first member of the new incarnation is created as soon as all volumes of old members are
 * read, so that it starts while etcd starts on the copied data. It receives no data until an old member is chosen and its etcd serves the
 * copy.
 */
function recoverAndMake(seen: RestoreObservation, source: SourceFacts, target: TargetFacts): RestorePlan | undefined {
  const plan = recover(seen, source, target);
  if (!plan || !isWaiting(plan) || seen.seed || otherOwnerPodsThatBlock(seen).length > 0) return plan;
  const data = dataOfSurvivors(seen, target);
  if (!data) return plan;
  const { steps, requeueAfter } = make(seen, target, data);
  return { ...plan, steps, requeueAfter };
}

function isWaiting({ steps, report, atLast }: RestorePlan): boolean {
  return steps.length === 0 && report?.failure === undefined && report?.source === undefined && !atLast;
}

/**
 * If this restore created the cluster, the backup is verified while it is copied to the first member: the result is recorded when the
 * copy is complete, and it is checked again whether the backup fits the cluster. No member serves before that. If the cluster existed
 * before, the backup is verified before anything else is done.
 */
function settleSource(
  seen: RestoreObservation,
  source: SourceFacts,
  target: TargetFacts,
  desired: Desired,
): RestorePlan | undefined {
  const { restore, jobs, seed: pod } = seen;
  // Until a member is chosen there is nothing to check.
  if (restore.survivor && isPending(source)) return undefined;
  const isOurs = target.marker?.from === undefined;
  if (!isPending(source)) {
    // This is checked even if the cluster existed before, because its spec may have changed since the first check.
    const vain = isOurs
      ? objectionToNewCluster(restore, source, target, desired)
      : whyUnfit(source, restore, { exists: true, desired, limits: target.limits });
    return vain === undefined ? undefined : fail(vain);
  }
  const found = doneOf(jobs.deliver) ?? doneOf(jobs.verify);
  if (found)
    return isSame(source, found)
      ? record(found, 'Seeding')
      : fail(`the backup ${source.path} was replaced in the backup store while the restore was reading it`);
  const hasArrived = pod !== undefined && pod.stage !== 'pending' && pod.stage !== 'waitingForData';
  const isUnderWay = jobs.deliver.kind === 'running';
  return !isOurs || (hasArrived && !isUnderWay) ? verifyAfterwards(seen) : undefined;
}

/** Records what was copied from a running cluster. The cluster continues to change, so this is known only after the copy. */
function recordCopy({ jobs }: RestoreObservation, { verified, sha256 }: SourceFacts): RestorePlan | undefined {
  const copied = verified === 'Live' && sha256 === undefined ? doneOf(jobs.deliver) : undefined;
  return copied && record(copied, 'Seeding');
}

function doneOf(job: JobState<SourceFacts>): SourceFacts | undefined {
  return job.kind === 'done' ? job.value : undefined;
}

/** The seed was created for the source as inspected: the data that arrived must have the same properties. */
function isSame(a: SourceFacts, b: SourceFacts): boolean {
  const keys = ['path', 'bytes', 'revision', 'newestEntry', 'storageVersion', 'authEnabled'] as const;
  return keys.every((key) => a[key] === b[key]);
}

const awaitOperator = 'waiting for the etcd-operator to suspend reconciliation of the EtcdCluster';

/**
 * No pod is removed from the Service endpoints before the etcd-operator has seen the restore annotation: otherwise the etcd-operator would
 * replace the members that it no longer sees.
 */
function awaitSuspension({ restore }: RestoreObservation, { acknowledged }: TargetFacts): RestorePlan | undefined {
  return acknowledged === restore.uid ? undefined : wait('Isolating', awaitOperator, 2_000);
}

/** What the restore was waiting for when it timed out. */
function whatIsMissing(seen: RestoreObservation, source: SourceFacts, target: TargetFacts): string {
  if (target.acknowledged !== seen.restore.uid) return awaitOperator;
  const recovery = seen.restore.survivor && recover(seen, source, target)?.report?.reason;
  if (recovery) return recovery;
  const [otherOwnerPod] = otherOwnerPodsThatBlock(seen);
  return (
    seen.seed?.why ?? (otherOwnerPod ? describeOtherOwnerPod(otherOwnerPod) : 'the first member has not been created')
  );
}

function isolate(
  { pods, restore }: RestoreObservation,
  source: SourceFacts,
  { incarnation, acknowledged }: TargetFacts,
): RestorePlan | undefined {
  const open = pods.filter(
    (pod) => pod.incarnation < incarnation && !pod.isolated && !pod.terminating && !pod.startedBy,
  );
  if (open.length === 0) return undefined;
  const evidence = {
    isAcknowledged: acknowledged === restore.uid,
    isSourceVerified: restore.survivor !== undefined || !isPending(source),
  };
  const [objection] = objectionsTo('isolate', evidence);
  if (objection) return wait('Isolating', objection.evidence, 2_000);
  const steps = open.map(({ name, uid }) => ({
    step: { do: 'isolatePod', name, uid } as const,
    reason: `removing pod/${name} from the Service endpoints; its process and its data are kept`,
  }));
  return take('Isolating', steps);
}

function awaitSeed(seen: RestoreObservation, source: SourceFacts, target: TargetFacts, desired: Desired): RestorePlan {
  const { seed: pod, hasSecret } = seen;
  if (!pod) return make(seen, target);
  if (pod.terminating) return fail(`pod/${pod.name} was deleted during the restore; it held the restored data`);
  if (isPending(source) && pod.stage !== 'pending' && pod.stage !== 'waitingForData')
    return wait('Seeding', `pod/${pod.name} has received the snapshot`, 250);
  if (pod.answer) return prove(seen, source, target, desired, pod);
  if (pod.broken !== undefined) return fail(pod.broken);
  if (pod.stage === 'waitingForData' && pod.ip !== '') return deliver(seen, source, pod);
  if (!hasSecret && pod.stage === 'pending')
    return fail(
      `the Secret for the snapshot transfer to pod/${pod.name} is missing: the Secret was deleted before the transfer finished`,
    );
  return wait('Seeding', pod.why, pod.stage === 'running' ? answerEvery : 1_000);
}

/**
 * Creates the first member, but not while pods of another cluster are endpoints of this cluster's Services: clients must not read another
 * cluster's data through these Services (operator rule 30).
 */
function make(seen: RestoreObservation, target: TargetFacts, data?: SurvivorData): RestorePlan {
  const { restore, hasSecret } = seen;
  const { uid, incarnation } = target;
  const [otherOwnerPod] = otherOwnerPodsThatBlock(seen);
  if (otherOwnerPod) return wait('Seeding', describeOtherOwnerPod(otherOwnerPod), 1_000);
  const name = seedName(restore.clusterName, uid, incarnation);
  const secret = {
    step: { do: 'createSecret' },
    reason:
      'creating the Secret with the key for the snapshot transfer, so that only this operator can send data to the new member',
  } as const;
  const create = {
    step: { do: 'createSeed', name, incarnation, above: seenRevision(seen, target), ...(data && { data }) },
    reason: `creating first member ${name}; it restores the snapshot only if its data directory is empty`,
  } as const;
  return take('Seeding', hasSecret ? [create] : [secret, create]);
}

/**
 * Pods of other objects that the restore waits for. It does not wait for pods on a node that is permanently gone: no client reaches them,
 * even if the API server still lists them.
 */
function otherOwnerPodsThatBlock({ otherOwnerPods }: RestoreObservation): readonly OtherOwnerPod[] {
  return otherOwnerPods.filter(({ isOnLostNode }) => !isOnLostNode);
}

function describeOtherOwnerPod({ name, node }: OtherOwnerPod): string {
  return (
    `waiting for pod/${name} to stop on node ${node || 'unknown'}, because that pod belongs to a deleted cluster of the same name. If that node is permanently gone, ` +
    `delete the Node, or add the taint node.kubernetes.io/out-of-service=nodeshutdown:NoExecute to the Node, or run: kubectl delete pod ${name} --grace-period=0 --force`
  );
}

/** How long sending a snapshot is retried: no member serves meanwhile, and a full disk stays full. */
const deliveryPatience = 600_000;

const undelivered = (pod: string) =>
  `The backup could not be delivered to pod/${pod} for 10 minutes. Check the backup store, the volume of the pod and the network, then create another EtcdRestore.`;

function deliver({ jobs }: RestoreObservation, source: SourceFacts, { ip, name, agent }: SeedFacts): RestorePlan {
  const job = jobs.deliver;
  const send = { step: { do: 'deliver', ip, agent }, reason: `sending the snapshot to pod/${name}` } as const;
  switch (job.kind) {
    case 'idle':
      return take('Seeding', [send]);
    case 'waiting':
      return awaitTurn('Seeding', job, 'copying data');
    case 'running': {
      const bytes = progress(job.bytes);
      const reason = tryingAgain(job.lastFailure);
      const report = { phase: 'Seeding', reason, bytesDelivered: bytes } as const;
      return {
        ...wait('Seeding', '', 200),
        report: isPending(source) ? { ...report, bytesVerified: bytes } : report,
      };
    }
    case 'failed':
      if (!job.passes || (job.limit !== undefined && job.failingFor >= job.limit)) return fail(job.why);
      if (job.failingFor >= deliveryPatience) return fail(`${job.why}. ${undelivered(name)}`);
      return { ...take('Seeding', [send], tryingAgain(job.why)), requeueAfter: sendAgainAfter(job.failingFor) };
    case 'done':
      return wait('Seeding', `pod/${name} has received the snapshot`, 250);
  }
}

/** The first retries come at once. If a store or a disk continues to fail, the interval grows. */
function sendAgainAfter(failing: number): number {
  return Math.min(10_000, Math.max(250, failing / 4));
}

/** etcd serves within a second of its start. No event reports this, so it is asked often. */
const answerEvery = 100;

/** How long rejected credentials are tried again: a login needs a leader, and a changed Secret is read again only after a moment. */
const loginPatience = 15_000;

/**
 * Checks the first member: it must have the data that was sent, have a cluster ID that was never used before, and accept the credentials of
 * the spec.
 */
function prove(
  seen: RestoreObservation,
  source: SourceFacts,
  target: TargetFacts,
  desired: Desired,
  pod: SeedFacts,
): RestorePlan {
  const { answer } = pod;
  if (!answer) return wait('Seeding', pod.why, answerEvery);
  const { clusterId, revision, loginProblem } = answer;
  if (loginProblem !== undefined)
    return patiently(wait('Seeding', tryingAgain(loginProblem), 1_000), loginPatience, fail(loginProblem));
  const expected = expectedRevision(source, seen.restore, desired, seenRevision(seen, target));
  // A higher revision is allowed. Only etcd itself writes to this member so far, and expired leases may have raised the revision before it
  // was read.
  if (revision < expected)
    return fail(`the restored member is at revision ${revision}, but at least ${expected} was expected`);
  if (clusterId === target.marker?.from?.clusterId)
    return fail(`the restored member still has the cluster ID from before the restore`);
  if (!answer.hasLeader) return wait('Seeding', `waiting for etcd in pod/${pod.name} to elect a leader`, answerEvery);
  return identify(seen, pod, answer);
}

function identify(
  { volumes }: RestoreObservation,
  { name, uid, resourceVersion, onVolume }: SeedFacts,
  answer: SeedAnswer,
): RestorePlan {
  const { clusterId, memberId, revision } = answer;
  const volumeUid = onVolume ? volumes.find((volume) => volume.name === name)?.uid : undefined;
  if (onVolume && volumeUid === undefined)
    return wait('Seeding', `waiting for the API server to list pvc/${name}`, 1_000);
  const plan = take('Seeding', [
    {
      step: { do: 'settleSeed', name, uid, resourceVersion, volumeUid, clusterId, memberId },
      reason: `member ${name} serves revision ${revision} of cluster ${clusterId}: recording the cluster ID, so that a restart of the member does not restore the backup again`,
    },
  ]);
  return { ...plan, report: { phase: 'Seeding', reason: '', revision } };
}

/**
 * The etcd-operator manages the new incarnation as soon as the seed has its cluster ID. Whatever happens to the EtcdRestore or to the seed
 * after that, writes of clients must not be lost: the ID is recorded, and the restore can no longer be rolled back.
 */
export function settled(seen: RestoreObservation, target: TargetFacts): RestorePlan {
  const { restore, seed: pod } = seen;
  const answer = pod?.answer?.loginProblem === undefined ? pod?.answer : undefined;
  // An earlier attempt was interrupted: the volume has the cluster ID, but the pod does not know yet that it must not restore the data
  // again.
  if (pod && answer && !pod.isIdentified && !pod.terminating) return identify(seen, pod, answer);
  const clusterId = answer?.clusterId || target.clusterId;
  if (!clusterId) return wait('Seeding', pod?.answer?.loginProblem ?? pod?.why ?? '', 1_000);
  // The first revision can no longer be read once clients write, so it is written to the status before the EtcdCluster gets the ID.
  if (answer && restore.revision === undefined)
    return {
      steps: [],
      report: { phase: 'Seeding', reason: '', revision: answer.revision },
      requeueAfter: 20,
    };
  // The version that the first member was created with, whatever the spec says now: the member's log has entries of that version.
  const bootstrapVersion = pod?.version ?? '';
  const record = { do: 'recordIdentity', clusterId, incarnation: target.incarnation, bootstrapVersion } as const;
  return {
    steps: [
      {
        step: record,
        reason: `the first member serves the restored data: recording cluster ID ${clusterId} for this EtcdCluster`,
      },
    ],
    report: { phase: 'Growing', reason: '', clusterId },
    requeueAfter: 20,
  };
}
