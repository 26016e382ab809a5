// SPDX-License-Identifier: Apache-2.0
import {
  advisoriesFor,
  compareVersions,
  fixOf,
  formatVersion,
  isWastefulSize,
  parseVersion,
  supportOf,
} from '@etcd-operator/etcd';
import { conditionReasons as reasons, conditionTypes as types } from '../../api/reasons.ts';
import type { Observation } from '../observation.ts';
import type { Assessment } from '../plan/assessment.ts';
import type { Plan } from '../plan/plan.ts';
import { heldBack } from '../plan/replace.ts';
import { describeStranger, strangersOf } from '../plan/strangers.ts';
import { describeAlarm } from './alarm-words.ts';
import type { ConditionClaim } from './conditions.ts';

type Notice = (observation: Observation, plan: Plan) => Omit<ConditionClaim, 'status'> | undefined;

/** Things a person should know and may want to act on; absent where there is nothing to say. */
export function notices(observation: Observation, plan: Plan): readonly ConditionClaim[] {
  return all.flatMap((notice) => {
    const found = notice(observation, plan);
    return found ? [{ ...found, status: 'True' as const, message: found.message.slice(0, 1024) }] : [];
  });
}

const specRefused: Notice = (_observation, { situation, waits }) =>
  situation === 'refused'
    ? { type: types.specRefused, reason: reasons.tlsChange, message: waits.map((wait) => wait.reason).join('; ') }
    : undefined;

const secretsInvalid: Notice = ({ secretProblems }) =>
  secretProblems.length > 0
    ? { type: types.secretsInvalid, reason: reasons.secretUnusable, message: secretProblems.join('; ') }
    : undefined;

const foreignVolumes: Notice = ({ volumes }) => {
  const names = namesOfOthers(volumes);
  if (names === '') return undefined;
  const message = `volume claims ${names} carry this cluster's labels but belong to another object; they are neither used nor deleted`;
  return { type: types.foreignVolumes, reason: reasons.otherOwner, message };
};

const foreignPods: Notice = ({ pods }) => {
  const names = namesOfOthers(pods);
  if (names === '') return undefined;
  const message = `pods ${names} carry this cluster's labels but belong to another object: clients may reach them through the Services; delete them, or take the label app off them`;
  return { type: types.foreignPods, reason: reasons.otherOwner, message };
};

const foreignServices: Notice = ({ services, cluster }) => {
  const names = [
    ...(services.peer === 'foreign' ? [cluster.name] : []),
    ...(services.client === 'foreign' ? [`${cluster.name}-client`] : []),
  ];
  if (names.length === 0) return undefined;
  const message = `Service ${names.join(' and ')} belongs to another object and is left as it is: members or clients may not find each other`;
  return { type: types.foreignServices, reason: reasons.otherOwner, message };
};

const podsOutdated: Notice = (_observation, { assessment }) => {
  const outdated = assessment ? heldBack(assessment) : [];
  if (outdated.length === 0) return undefined;
  const bytes = outdated.reduce((sum, { answer }) => sum + (answer?.kind === 'status' ? answer.dbSize : 0), 0);
  const message = `${outdated.map((view) => view.name).join(', ')} differ from the spec; set spec.pod.updatePolicy to Replace to replace them one by one, which sends ${bytes} bytes to new members`;
  return { type: types.podsOutdated, reason: reasons.waitingForReplacement, message };
};

const adoptedPods: Notice = (_observation, { assessment }) => {
  const adopted = assessment?.members.filter((view) => view.pod?.adopted) ?? [];
  if (adopted.length === 0) return undefined;
  const message = `${adopted.length} pods were made by the original operator; they are kept until a version change or a failure replaces them`;
  return { type: types.adoptedPods, reason: reasons.madeByOriginal, message };
};

const strangerMembers: Notice = (_observation, { assessment }) => {
  const strangers = assessment ? strangersOf(assessment) : [];
  if (strangers.length === 0) return undefined;
  const message = `etcd lists members that were added by somebody else: ${strangers.map(describeStranger).join('; ')}; they are not touched, and count for quorum if they vote`;
  return { type: types.strangerMembers, reason: reasons.addedByHand, message };
};

const alarmRaised: Notice = (_observation, { assessment }) => {
  const alarm = assessment && describeAlarm(assessment);
  return alarm && { type: types.alarmRaised, ...alarm };
};

/** About what runs, by etcd's own word; the oldest member is the weakest. */
const versionAdvisory: Notice = (_observation, { assessment }) => {
  const version = assessment && oldestRunning(assessment);
  if (!version) return undefined;
  const found = advisoriesFor(version);
  if (found.length > 0) {
    const words = found.map((entry) => `${entry.id} (${entry.summary})`).join(', ');
    const cure = found[0] && fixOf(version, found[0]);
    const message = `etcd ${formatVersion(version)} is exposed to ${words}; ${cure ? `${cure} cures it` : 'go to a newer minor'}`;
    return { type: types.versionAdvisory, reason: reasons.knownFaults, message };
  }
  const support = supportOf(version);
  return support.state === 'endOfLife'
    ? { type: types.versionAdvisory, reason: reasons.endOfLife, message: support.reason }
    : undefined;
};

const evenSize: Notice = ({ cluster: { desired } }) => {
  if (!('size' in desired) || !isWastefulSize(desired.size)) return undefined;
  const message = `${desired.size} members bear no more losses than ${desired.size - 1}; odd sizes make better use of them`;
  return { type: types.evenSize, reason: reasons.noMoreTolerance, message };
};

const all: readonly Notice[] = [
  specRefused,
  secretsInvalid,
  alarmRaised,
  foreignVolumes,
  foreignPods,
  foreignServices,
  strangerMembers,
  podsOutdated,
  adoptedPods,
  versionAdvisory,
  evenSize,
];

function namesOfOthers(items: readonly { readonly name: string; readonly ownership: 'ours' | 'other' }[]): string {
  return items
    .filter((item) => item.ownership === 'other')
    .map((item) => item.name)
    .sort()
    .join(', ');
}

function oldestRunning({ voters }: Assessment) {
  const versions = voters.flatMap(({ answer }) =>
    answer?.kind === 'status' ? (parseVersion(answer.version) ?? []) : [],
  );
  return versions.sort(compareVersions)[0];
}
