// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@operator-parts/etcd';
import { counted, isOrAre } from '../../../counted.ts';
import type { Assessment, MemberView } from '../assessment.ts';
import { hasJustStarted } from '../member-health.ts';
import { later, type Proposal, soon, waitFor } from '../proposal.ts';

/**
 * Every voluntary stop of a voter passes this check. No member is stopped while alarms are raised, while another voter has just started and
 * is not Ready, while the node of another voter is in trouble, or if the remaining voters would not be a quorum. Undefined if `view` may be
 * stopped.
 *
 * A cluster of one or two voters cannot keep its quorum while a voter restarts. In such a cluster all voters must be healthy, and the
 * reason of the step names the consequence. If a third voter is joining, two voters wait for it.
 */
export function holdStop(assessment: Assessment, view: MemberView): Proposal | undefined {
  const { voters, healthyVoters, now } = assessment;
  const alarmed = holdForAlarms(assessment);
  if (alarmed) return alarmed;
  const others = healthyVoters.filter((other) => other !== view);
  const keepsQuorum = voters.length >= 3 || isThirdVoterExpected(assessment);
  const needed = keepsQuorum ? quorum(voters.length) : voters.length - 1;
  if (others.length < needed) {
    return waitFor(
      `Waiting to restart member ${view.name}: ${counted(others.length, 'healthy voter')} would remain, ${needed} ${isOrAre(needed)} needed.`,
      voters.some((other) => hasJustStarted(other, now)) ? soon : later,
    );
  }
  return notReadyYet(assessment, view) ?? nodeInTrouble(assessment, view);
}

/**
 * How long to wait for a third voter, in milliseconds. This is less than the time after which a learner that does not start is replaced by
 * a new learner, for which the wait would begin again.
 */
const thirdVoterPatience = 300_000;

/**
 * True if two voters should wait for a third. The wait is limited, because the third voter may need the waiting change of the spec to
 * start.
 */
function isThirdVoterExpected({ voters, learners, desired, now }: Assessment): boolean {
  const isNew = ({ pod }: MemberView) => pod !== undefined && now - pod.seenSince < thirdVoterPatience;
  return voters.length === 2 && desired.size > 2 && learners.some(isNew);
}

/** Clients reach only Ready pods. A voter whose pod is not a Service endpoint yet cannot serve them while another voter restarts. */
function notReadyYet(assessment: Assessment, view: MemberView): Proposal | undefined {
  const { voters, now } = assessment;
  const starting = voters.find((other) => other !== view && hasJustStarted(other, now) && other.pod?.ready !== true);
  if (!starting) return undefined;
  return waitFor(
    `Waiting to restart member ${view.name}: pod/${starting.name} is not Ready yet, so clients cannot reach it.`,
    soon,
  );
}

/** While etcd has raised an alarm nothing is upgraded or restarted (faults 30 and 31). */
export function holdForAlarms(assessment: Assessment): Proposal | undefined {
  const alarms = alarmsOf(assessment);
  if (alarms.length === 0) return undefined;
  const end = alarms.length === 1 ? 'this alarm is disarmed' : 'these alarms are disarmed';
  return waitFor(`etcd has raised ${alarms.join(' and ')}. No member is restarted until ${end}.`, later);
}

/** A voter whose node is going down may fail next, so no other voter is stopped voluntarily. */
function nodeInTrouble({ voters, observation }: Assessment, view: MemberView): Proposal | undefined {
  for (const other of voters) {
    const node = other === view ? undefined : other.pod && observation.nodes.get(other.pod.node);
    if (!node || (node.exists && node.ready && node.schedulable)) continue;
    const state = !node.exists || !node.ready ? 'not ready' : 'cordoned';
    return waitFor(
      `Node ${other.pod?.node} of member ${other.name} is ${state}. No member is restarted until it is ready.`,
      later,
    );
  }
  return undefined;
}

export const alarmNames = ['NOSPACE', 'CORRUPT'] as const;
export type AlarmName = (typeof alarmNames)[number];

/** The alarms that any member reports, each once. */
export function alarmsOf(assessment: Assessment): readonly AlarmName[] {
  return alarmNames.filter((alarm) => raisedFor(assessment, alarm).length > 0);
}

/** IDs of the members for which an alarm was raised; these may be gone by now. `0` if etcd could not tell which. */
export function raisedFor({ members, clusterId }: Assessment, alarm: AlarmName): readonly string[] {
  const words = members.flatMap(({ answer }) =>
    answer?.kind === 'status' && answer.clusterId === clusterId ? answer.alarms : [],
  );
  const ids = words
    .filter((word) => word.includes(alarm))
    .map((word) => BigInt(/memberID:(\d{1,20})/.exec(word)?.[1] ?? 0).toString(16));
  return [...new Set(ids)].sort();
}
