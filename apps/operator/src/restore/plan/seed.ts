// SPDX-License-Identifier: Apache-2.0
import type { Desired } from '../../cluster/desired.ts';
import { seedName } from '../../cluster/plan/member-naming.ts';
import { objectionsTo } from '../../safety/gate.ts';
import type {
  RestoreObservation,
  SeedAnswer,
  SeedFacts,
  SourceFacts,
  StrangerPod,
  TargetFacts,
} from '../observation.ts';
import { expectedRevision, whyUnfit } from './fit.ts';
import { isPending } from './phase.ts';
import { whyMadeInVain } from './prepare.ts';
import { fail, progress, take, wait } from './proposal.ts';
import { save } from './save.ts';
import type { RestorePlan } from './step.ts';
import { record, verifyAfterwards } from './verify.ts';

/**
 * From the mark to a seed that serves the restored data: the old members are taken from behind the Services, what they hold
 * is saved, the seed is made and given the snapshot, and what it answers is compared with what was sent. Nothing of the old
 * life is lost on this way; whatever goes wrong leads back (operator rule 4).
 */
export function seed(seen: RestoreObservation, source: SourceFacts, target: TargetFacts, now: number): RestorePlan {
  const { restore } = seen;
  const { desired } = target;
  if (target.deleting) return wait('Seeding', 'the EtcdCluster is being deleted', 5_000);
  if (restore.startedAt > 0 && now - restore.startedAt > restore.timeout) {
    return fail(`not restored within ${restore.timeout / 1000} s: ${whatIsMissing(seen, target)}`);
  }
  if ('problems' in desired) return fail(`the EtcdCluster cannot run: ${desired.problems.join('; ')}`);
  if (restore.startedAt === 0)
    return { steps: [], report: { phase: 'Fencing', reason: '', started: true }, lookAgainAfter: 0 };
  return (
    settleSource(seen, source, target, desired) ??
    standBack(seen, target) ??
    fence(seen, source, target) ??
    (seen.seed ? undefined : save(seen, target)) ??
    nurse(seen, source, target, desired)
  );
}

/**
 * Into a cluster that this restore made, the source is read on its way: what it was is recorded as soon as it has arrived, and
 * asked again whether it fits. Nothing serves before that, and where there was a life before, nothing is done before it.
 */
function settleSource(
  seen: RestoreObservation,
  source: SourceFacts,
  target: TargetFacts,
  desired: Desired,
): RestorePlan | undefined {
  const { restore, jobs, seed: pod } = seen;
  const isOurs = target.marker?.from === undefined;
  if (!isPending(source)) {
    // Also of a cluster that was there: its spec may have become another one since it was asked.
    const vain = isOurs
      ? whyMadeInVain(restore, source, target, desired)
      : whyUnfit(source, restore, { exists: true, desired, limits: target.limits });
    return vain === undefined ? undefined : fail(vain);
  }
  const found = [jobs.deliver, jobs.verify].find((job) => job.kind === 'done');
  if (found)
    return isSame(source, found.value)
      ? record(found.value, 'Seeding')
      : fail(`${source.path} was replaced while it was read`);
  const hasArrived = pod !== undefined && pod.stage !== 'pending' && pod.stage !== 'waitingForData';
  const isUnderWay = jobs.deliver.kind === 'running';
  return !isOurs || (hasArrived && !isUnderWay) ? verifyAfterwards(seen) : undefined;
}

/** The seed was made for what was looked at: what arrived must say the same of itself. */
function isSame(a: SourceFacts, b: SourceFacts): boolean {
  const keys = ['path', 'bytes', 'revision', 'newestEntry', 'storageVersion', 'authEnabled'] as const;
  return keys.every((key) => a[key] === b[key]);
}

const awaitOperator = 'waits until the etcd-operator stands back from the EtcdCluster';

/** Nothing is isolated before the etcd-operator has seen the mark: it would replace members that it cannot see any more. */
function standBack({ restore }: RestoreObservation, { acknowledged }: TargetFacts): RestorePlan | undefined {
  return acknowledged === restore.uid ? undefined : wait('Fencing', awaitOperator, 2_000);
}

/** What the restore was waiting for when its time was over. */
function whatIsMissing(seen: RestoreObservation, { acknowledged }: TargetFacts): string {
  if (acknowledged !== seen.restore.uid) return awaitOperator;
  const [stranger] = strangersInTheWay(seen);
  return seen.seed?.why ?? (stranger ? describeStranger(stranger) : 'the old members could not be saved');
}

function fence(
  { pods, restore }: RestoreObservation,
  source: SourceFacts,
  { incarnation, acknowledged }: TargetFacts,
): RestorePlan | undefined {
  const open = pods.filter((pod) => pod.incarnation < incarnation && !pod.fenced && !pod.terminating && !pod.startedBy);
  if (open.length === 0) return undefined;
  const evidence = { isAcknowledged: acknowledged === restore.uid, isSourceVerified: !isPending(source) };
  const [objection] = objectionsTo('isolate', evidence);
  if (objection) return wait('Fencing', objection.evidence, 2_000);
  const steps = open.map(({ name, uid }) => ({
    step: { do: 'fencePod', name, uid } as const,
    reason: `${name} is taken from behind the Services; its process and its data stay`,
  }));
  return take('Fencing', steps);
}

function nurse(seen: RestoreObservation, source: SourceFacts, target: TargetFacts, desired: Desired): RestorePlan {
  const { seed: pod, hasSecret } = seen;
  if (!pod) return make(seen, target);
  if (pod.terminating) return fail(`the pod ${pod.name} with the restored data was deleted`);
  if (isPending(source) && pod.stage !== 'pending' && pod.stage !== 'waitingForData')
    return wait('Seeding', `${pod.name} has received the snapshot`, 250);
  if (pod.answer) return prove(seen, source, target, desired, pod);
  if (pod.broken !== undefined) return fail(pod.broken);
  if (pod.stage === 'waitingForData' && pod.ip !== '') return deliver(seen, source, pod);
  if (!hasSecret && pod.stage === 'pending') return fail(`the Secret of ${pod.name} is gone`);
  return wait('Seeding', pod.why, pod.stage === 'running' ? answerEvery : 1_000);
}

/** Clients must not read another cluster's data through the Services of this one (operator rule 30). */
function make(seen: RestoreObservation, target: TargetFacts): RestorePlan {
  const { restore, hasSecret } = seen;
  const { uid, incarnation } = target;
  const [stranger] = strangersInTheWay(seen);
  if (stranger) return wait('Seeding', describeStranger(stranger), 1_000);
  const name = seedName(restore.clusterName, uid, incarnation);
  const secret = {
    step: { do: 'createSecret' },
    reason: 'only this operator may send data to the new member',
  } as const;
  const create = {
    step: { do: 'createSeed', name, incarnation, above: seenRevision(seen, target) },
    reason: `${name} is made from the snapshot: it refuses a directory that is not empty`,
  } as const;
  return take('Seeding', hasSecret ? [create] : [secret, create]);
}

/** On a node that is gone for good nothing runs: nobody is led there, whatever the API server still lists. */
function strangersInTheWay({ strangers }: RestoreObservation): readonly StrangerPod[] {
  return strangers.filter(({ isOnLostNode }) => !isOnLostNode);
}

function describeStranger({ name, node }: StrangerPod): string {
  return (
    `waiting for pod/${name} of a deleted cluster of this name to end on node ${node || 'unknown'}. If that node is off for good, ` +
    `delete the node or taint it node.kubernetes.io/out-of-service, or run: kubectl delete pod ${name} --grace-period=0 --force`
  );
}

/** The highest revision that clients have seen: what the old members said when they were isolated counts above the status. */
function seenRevision({ restore }: RestoreObservation, { marker }: TargetFacts): number {
  return Math.max(marker?.from?.revision ?? 0, restore.safety?.revision ?? 0);
}

/** How long a snapshot that does not arrive is sent again and again: nothing serves meanwhile, and a full disk stays full. */
const deliveryPatience = 600_000;

function deliver({ jobs }: RestoreObservation, source: SourceFacts, { ip, name, agent }: SeedFacts): RestorePlan {
  const job = jobs.deliver;
  const send = { step: { do: 'deliver', ip, agent }, reason: `the snapshot is sent to ${name}` } as const;
  switch (job.kind) {
    case 'idle':
      return take('Seeding', [send]);
    case 'waiting':
      return wait('Seeding', `waiting for ${job.ahead} other restores to move their data`, 1_000);
    case 'running': {
      const bytes = progress(job.bytes);
      const report = { phase: 'Seeding', reason: '', bytesDelivered: bytes } as const;
      return {
        ...wait('Seeding', '', 200),
        report: isPending(source) ? { ...report, bytesVerified: bytes } : report,
      };
    }
    case 'failed':
      if (!job.passes || job.failingFor >= deliveryPatience) return fail(job.why);
      return { ...take('Seeding', [send], job.why), lookAgainAfter: sendAgainAfter(job.failingFor) };
    case 'done':
      return wait('Seeding', `${name} has received the snapshot`, 250);
  }
}

/** At once at first; a store or a disk that goes on failing is not asked for everything four times a second. */
function sendAgainAfter(failing: number): number {
  return Math.min(10_000, Math.max(250, failing / 4));
}

/** An etcd that has begun serves within a second: nothing tells when, so it is asked often. */
const answerEvery = 100;

/** It must be what was sent, under an identity that nobody has had, and open with the credentials there are. */
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
  if (loginProblem !== undefined) return fail(loginProblem);
  const expected = expectedRevision(source, seen.restore, desired, seenRevision(seen, target));
  // Nobody but etcd itself writes here yet: leases that ran out before anybody looked have raised it.
  if (revision < expected) return fail(`the restored member is at revision ${revision}, not at ${expected}`);
  if (clusterId === target.marker?.from?.clusterId) return fail(`the restored member has the cluster ID from before`);
  if (!answer.hasLeader) return wait('Seeding', `${pod.name} is about to serve`, answerEvery);
  return identify(pod, answer);
}

function identify({ name, uid, resourceVersion, onVolume }: SeedFacts, answer: SeedAnswer): RestorePlan {
  const { clusterId, memberId, revision } = answer;
  return take('Seeding', [
    {
      step: { do: 'settleSeed', name, uid, resourceVersion, onVolume, clusterId, memberId },
      reason: `${name} serves revision ${revision} as cluster ${clusterId}: it must not restore a second time`,
    },
  ]);
}

/**
 * The etcd-operator serves the new life from the moment the seed bears its identity. Whatever happens to the EtcdRestore or to the
 * seed from then on, what clients have written since must not be taken from them: it is recorded, and there is no way back.
 */
export function settled({ seed: pod }: RestoreObservation, target: TargetFacts): RestorePlan {
  const answer = pod?.answer?.loginProblem === undefined ? pod?.answer : undefined;
  // Begun and cut short: its volume bears the identity, and the pod does not know yet that it must not restore again.
  if (pod && answer && !pod.isIdentified && !pod.terminating) return identify(pod, answer);
  const clusterId = answer?.clusterId || target.clusterId;
  if (!clusterId) return wait('Seeding', pod?.answer?.loginProblem ?? pod?.why ?? '', 1_000);
  // What it was made with, whatever the spec says by now: its log holds entries of that version.
  const bornVersion = pod?.version ?? '';
  const latch = { do: 'latch', clusterId, incarnation: target.incarnation, bornVersion } as const;
  return {
    steps: [{ step: latch, reason: `the restored data serves: this object is etcd cluster ${clusterId} from now on` }],
    report: { phase: 'Growing', reason: '', ...(answer && { seed: { revision: answer.revision, clusterId } }) },
    lookAgainAfter: 20,
  };
}
