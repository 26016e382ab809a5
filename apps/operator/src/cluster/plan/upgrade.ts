// SPDX-License-Identifier: Apache-2.0
import {
  compareVersions,
  type EtcdVersion,
  isSameMinor,
  parseVersion,
  preparingSnapshotCount,
  snapshotGate,
  upgradeVerdict,
} from '@etcd-operator/etcd';
import type { Assessment, MemberView } from './assessment.ts';
import { later, type Proposal, soon, take, takeAll, waitFor } from './proposal.ts';
import { moveLeadershipFrom } from './shrink.ts';
import type { PlannedStep } from './step.ts';

/**
 * Brings members to the version asked for, one at a time and in place: path checked, image proven on each node, leader last.
 * A step to the next minor waits until every member has taken a raft snapshot (operator rules 3 and 6).
 *
 * Assumes that all members are healthy voters and that their number is right.
 */
export function upgrade(assessment: Assessment): Proposal | undefined {
  const settled = settle(assessment);
  if (settled) return settled;
  const outdated = assessment.voters.filter((view) => !runs(view, assessment));
  if (outdated.length === 0) return restoreSnapshotCount(assessment);
  const versions = runningVersions(assessment);
  const target = parseVersion(assessment.desired.version);
  if (!versions || !target) return waitFor('the versions of the members are not known yet', later);
  return (
    refusal(assessment, versions, target) ??
    snapshotsFirst(assessment, versions, target) ??
    downgradeFirst(assessment, versions, target) ??
    imagesFirst(assessment, outdated) ??
    nodesFirst(assessment) ??
    next(assessment, outdated, versions, target)
  );
}

interface Versions {
  readonly oldest: EtcdVersion;
  readonly newest: EtcdVersion;
}

function runs({ pod, answer }: MemberView, { desired }: Assessment): boolean {
  return pod?.image === desired.image && answer?.kind === 'status' && answer.version === desired.version;
}

function runningVersions({ voters }: Assessment): Versions | undefined {
  const versions = voters.flatMap(({ answer }) => (answer?.kind === 'status' ? [parseVersion(answer.version)] : []));
  const known = versions.filter((version) => version !== undefined).sort(compareVersions);
  const oldest = known[0];
  const newest = known.at(-1);
  return oldest && newest && known.length === voters.length ? { oldest, newest } : undefined;
}

/** Why the version cannot be reached from here; nothing is touched then. */
function refusal(assessment: Assessment, versions: Versions, target: EtcdVersion): Proposal | undefined {
  const { desired, observation } = assessment;
  const { failedUpgrade, generation } = observation.cluster;
  if (failedUpgrade?.version === desired.version && failedUpgrade.generation === generation) {
    return waitFor(
      `version ${desired.version} did not work (${failedUpgrade.message}); it is not tried again until the spec changes`,
      later,
    );
  }
  const verdict = verdictOf(assessment, versions, target);
  if (verdict.kind === 'refused' || verdict.kind === 'wait') {
    return waitFor(
      `version ${desired.version} is ${verdict.kind === 'refused' ? 'refused' : 'held back'}: ${verdict.reason}`,
      later,
    );
  }
  if (desired.optionProblems.length > 0) {
    return waitFor(`version ${desired.version} is held back: ${desired.optionProblems.join('; ')}`, later);
  }
  const failed = observation.imageChecks.find((check) => check.image === desired.image && check.result === 'failed');
  if (failed) return waitFor(`image ${desired.image} cannot be used on node ${failed.node}: ${failed.detail}`, later);
  return undefined;
}

function verdictOf({ observation }: Assessment, { oldest, newest }: Versions, target: EtcdVersion) {
  const clusterVersion = parseVersion(observation.etcd.clusterVersion);
  return upgradeVerdict(newest, target, { clusterVersion, oldestRunning: oldest });
}

/** Before a minor step each member must have taken a raft snapshot since it runs the present minor. */
function snapshotsFirst(
  assessment: Assessment,
  { oldest, newest }: Versions,
  target: EtcdVersion,
): Proposal | undefined {
  const { voters, observation } = assessment;
  if (!isSameMinor(oldest, newest) || !snapshotGate(oldest, target).needed) return undefined;
  const born = parseVersion(observation.cluster.bornVersion ?? '');
  if (born && isSameMinor(born, oldest)) return undefined;
  const unproven = voters.filter(({ answer }) => answer?.kind !== 'status' || !answer.raftSnapshots);
  if (unproven.length === 0) return undefined;
  const names = unproven.map((view) => view.name).join(', ');
  const reason = `the step to ${assessment.desired.version} waits until ${names} has taken a raft snapshot, so that no entry of an older version is left`;
  if (unproven.every(({ pod }) => pod?.snapshotCount === '')) return waitFor(reason, later);
  return { steps: [{ step: { do: 'nudgeSnapshot' }, reason }], waits: [{ reason, lookAgainAfter: soon }] };
}

function downgradeFirst(assessment: Assessment, versions: Versions, target: EtcdVersion): Proposal | undefined {
  const verdict = verdictOf(assessment, versions, target);
  if (verdict.kind !== 'downgrade') return undefined;
  const isEnabled = assessment.voters.some(({ answer }) => answer?.kind === 'status' && answer.downgradeTarget !== '');
  if (isEnabled) return undefined;
  return take(
    { do: 'enableDowngrade', version: verdict.target },
    `etcd prepares its data for ${verdict.target}: ${verdict.reason}`,
  );
}

/** A throw-away pod on each member's node proves the image before anything is stopped. */
function imagesFirst({ observation, desired }: Assessment, outdated: readonly MemberView[]): Proposal | undefined {
  const checks = observation.imageChecks.filter((check) => check.image === desired.image);
  const nodes = [...new Set(outdated.map((view) => view.pod?.node ?? ''))].filter((node) => node !== '').sort();
  const missing = nodes.filter((node) => !checks.some((check) => check.node === node));
  const steps = missing.map(
    (node): PlannedStep => ({
      step: { do: 'checkImage', node, image: desired.image },
      reason: `pulls ${desired.image} on node ${node} and runs it once before a member depends on it`,
    }),
  );
  if (steps.length > 0) return takeAll(steps);
  const wrong = checks.find((check) => check.result === 'succeeded' && check.detail !== desired.version);
  if (wrong)
    return waitFor(
      `image ${desired.image} holds etcd ${wrong.detail}, not ${desired.version}: nothing is changed`,
      later,
    );
  const pending = checks.find((check) => check.result === 'pending' && nodes.includes(check.node));
  return pending && waitFor(`image ${desired.image} is being pulled on node ${pending.node}`, later);
}

/** A voluntary restart is not added to trouble elsewhere: a voter whose node is going down may be the next to fail. */
function nodesFirst({ voters, observation }: Assessment): Proposal | undefined {
  for (const { pod, name } of voters) {
    const node = pod && observation.nodes.get(pod.node);
    if (node && !node.ready)
      return waitFor(`node ${pod.node} of ${name} is not ready: no member is restarted meanwhile`, later);
  }
  return undefined;
}

function next(
  assessment: Assessment,
  outdated: readonly MemberView[],
  versions: Versions,
  target: EtcdVersion,
): Proposal | undefined {
  const { leader, desired, voters } = assessment;
  const [follower] = outdated.filter((view) => view !== leader);
  const view = follower ?? outdated[0];
  const pod = view?.pod;
  if (!view || !pod) return undefined;
  const move = voters.length > 1 ? moveLeadershipFrom(assessment, view, 'is restarted') : undefined;
  if (move) return move;
  const isMinorStep = !isSameMinor(versions.oldest, target);
  const cost = voters.length < 3 ? '; a cluster of this size cannot serve while it restarts' : '';
  return take(
    {
      do: 'setImage',
      pod: pod.name,
      uid: pod.uid,
      resourceVersion: pod.resourceVersion,
      from: pod.version,
      previous: pod.previousVersion,
      version: desired.version,
      image: desired.image,
      snapshotCount: isMinorStep ? String(preparingSnapshotCount) : pod.snapshotCount,
    },
    `${pod.name} goes from ${pod.version} to ${desired.version} in place, ${outdated.length - 1} to follow${cost}`,
  );
}

/** A member that answers with its new version needs no way back any more. */
function settle({ voters }: Assessment): Proposal | undefined {
  return takeAll(
    voters
      .filter(({ pod, answer }) => pod?.previousVersion && answer?.kind === 'status' && answer.version === pod.version)
      .map(({ pod, name }) => ({
        step: { do: 'settleImage', pod: name, uid: pod?.uid ?? '' },
        reason: `${name} answers with ${pod?.version}`,
      })),
  );
}

/** After a minor step the low snapshot count has done its work once every member has taken a snapshot. */
function restoreSnapshotCount({ voters }: Assessment): Proposal | undefined {
  const lowered = voters.filter(({ pod }) => pod && pod.snapshotCount !== '');
  if (lowered.length === 0) return undefined;
  const unproven = voters.filter(({ answer }) => answer?.kind !== 'status' || !answer.raftSnapshots);
  if (unproven.length > 0) {
    const reason = `${unproven.map((view) => view.name).join(', ')} takes a raft snapshot, so that the next minor can be reached`;
    return { steps: [{ step: { do: 'nudgeSnapshot' }, reason }], waits: [{ reason, lookAgainAfter: soon }] };
  }
  return takeAll(
    lowered.map(({ pod, name }) => ({
      step: { do: 'setSnapshotCount', pod: name, uid: pod?.uid ?? '', snapshotCount: '' },
      reason: `${name} has taken its raft snapshot: etcd's own snapshot count applies again from its next restart`,
    })),
  );
}
