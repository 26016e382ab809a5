// SPDX-License-Identifier: Apache-2.0
import {
  advisoriesFor,
  compareVersions,
  fixOf,
  formatVersion,
  isWastefulSize,
  parseVersion,
  supportedVersions,
  supportOf,
  tolerance,
} from '@operator-parts/etcd';
import { conditionReasons as reasons, conditionTypes as types } from '../../api/reasons.ts';
import { unknownFieldsClaim } from '../../api/unknown-fields.ts';
import { counted, isOrAre } from '../../counted.ts';
import type { Observation } from '../observation.ts';
import type { Assessment } from '../plan/assessment.ts';
import { describeUnmanaged, unmanagedMembersOf } from '../plan/healing/unmanaged-members.ts';
import type { Plan } from '../plan/plan.ts';
import { notReplacedYet } from '../plan/rolling/replace.ts';
import { describeAlarm } from './alarm-messages.ts';
import type { OwnClaim } from './conditions.ts';

type Notice = (observation: Observation, plan: Plan) => Omit<OwnClaim, 'status'> | undefined;

/** Conditions about facts that a person should know. Each is present only while there is something to say. */
export function notices(observation: Observation, plan: Plan): readonly OwnClaim[] {
  return all.flatMap((notice) => {
    const found = notice(observation, plan);
    return found ? [{ ...found, status: 'True' as const, message: found.message.slice(0, 1024) }] : [];
  });
}

const specRefused: Notice = ({ cluster: { refusals = [], tolerated = [] } }, { situation, waits }) => {
  if (situation !== 'refused') {
    if (tolerated.length === 0) return undefined;
    return { type: types.specRefused, reason: reasons.notAllowed, message: tolerated.join(' ') };
  }
  const reason = refusals.length > 0 ? reasons.notAllowed : reasons.tlsChange;
  return { type: types.specRefused, reason, message: waits.map((wait) => wait.reason).join(' ') };
};

const unknownFields: Notice = ({ cluster }) => unknownFieldsClaim('EtcdCluster', cluster.unknownFields ?? []);

const secretsInvalid: Notice = ({ secretProblems }) =>
  secretProblems.length > 0
    ? { type: types.secretsInvalid, reason: reasons.secretUnusable, message: `${secretProblems.join('; ')}.` }
    : undefined;

const volumesOfOtherOwner: Notice = ({ volumes }) => {
  const names = namesOfOthers('pvc', volumes);
  if (names.length === 0) return undefined;
  const message =
    names.length === 1
      ? `${names[0]} has this cluster's labels but belongs to another owner. It is neither used nor deleted.`
      : `${names.join(', ')} have this cluster's labels but belong to other owners. They are neither used nor deleted.`;
  return { type: types.volumesOfOtherOwner, reason: reasons.otherOwner, message };
};

const podsOfOtherOwner: Notice = ({ pods }) => {
  const names = namesOfOthers('pod', pods);
  if (names.length === 0) return undefined;
  const message =
    names.length === 1
      ? `${names[0]} has this cluster's labels but belongs to another owner; clients may reach it through the Services. Delete this pod, or remove its label app.`
      : `${names.join(', ')} have this cluster's labels but belong to other owners; clients may reach them through the Services. Delete these pods, or remove their label app.`;
  return { type: types.podsOfOtherOwner, reason: reasons.otherOwner, message };
};

const servicesOfOtherOwner: Notice = ({ services, cluster }) => {
  const names = [
    ...(services.peer === 'otherOwner' ? [cluster.name] : []),
    ...(services.client === 'otherOwner' ? [`${cluster.name}-client`] : []),
  ];
  if (names.length === 0) return undefined;
  const message =
    names.length === 1
      ? `Service ${names[0]} belongs to another owner and is not changed. Members or clients may not reach the cluster; delete this Service.`
      : `Services ${names.join(' and ')} belong to another owner and are not changed. Members and clients may not reach the cluster; delete these Services.`;
  return { type: types.servicesOfOtherOwner, reason: reasons.otherOwner, message };
};

const podsOutdated: Notice = (_observation, { assessment }) => {
  const outdated = assessment ? notReplacedYet(assessment) : [];
  if (outdated.length === 0) return undefined;
  const bytes = outdated.reduce((sum, { answer }) => sum + (answer?.kind === 'status' ? answer.dbSize : 0), 0);
  const message = `Pods ${outdated.map((view) => view.name).join(', ')} differ from the spec. Set spec.pod.updatePolicy to Replace to replace these pods one by one; this sends ${bytes} bytes to the new members.`;
  return { type: types.podsOutdated, reason: reasons.waitingForReplacement, message };
};

const adoptedPods: Notice = (_observation, { assessment }) => {
  const adopted = assessment?.members.filter((view) => view.pod?.adopted) ?? [];
  if (adopted.length === 0) return undefined;
  const message = `${counted(adopted.length, 'pod')} of the CoreOS etcd-operator ${isOrAre(adopted.length)} in use. Such pods are kept until a version change or a failure replaces them.`;
  return { type: types.adoptedPods, reason: reasons.createdByCoreOS, message };
};

const unmanagedMembers: Notice = (_observation, { assessment }) => {
  const found = assessment ? unmanagedMembersOf(assessment) : [];
  if (found.length === 0) return undefined;
  const message = `Unmanaged members, not created by this operator: ${found.map(describeUnmanaged).join('; ')}. Unmanaged members are not changed; voters among them count for the quorum.`;
  return { type: types.unmanagedMembers, reason: reasons.notCreatedByOperator, message };
};

const alarmRaised: Notice = (_observation, { assessment }) => {
  const alarm = assessment && describeAlarm(assessment);
  return alarm && { type: types.alarmRaised, ...alarm };
};

/**
 * Advice about the oldest version that a member runs, as etcd reports it. Before any member has run, the advice is about the version in the
 * spec.
 */
const versionAdvisory: Notice = ({ cluster: { desired, currentVersion } }, { assessment }) => {
  const version = assessment && oldestRunning(assessment);
  if (!version) return currentVersion === '' && 'version' in desired ? unsupportedWish(desired.version) : undefined;
  const found = advisoriesFor(version);
  if (found.length > 0) {
    const words = found.map((entry) => `${entry.id} (${entry.summary})`).join(', ');
    const cure = found[0] && fixOf(version, found[0]);
    const message = `etcd ${formatVersion(version)} is affected by ${words}. ${cure ? `Upgrade to ${cure}.` : 'Upgrade to a newer minor version.'}`;
    return { type: types.versionAdvisory, reason: reasons.knownFaults, message };
  }
  const support = supportOf(version);
  return support.state === 'endOfLife'
    ? { type: types.versionAdvisory, reason: reasons.endOfLife, message: `${support.reason}.` }
    : undefined;
};

/**
 * Advice about an old version in the spec, so that the user learns the supported versions before the image of the old version cannot be
 * pulled.
 */
function unsupportedWish(text: string): ReturnType<Notice> {
  const version = parseVersion(text);
  if (!version || supportOf(version).state !== 'endOfLife') return undefined;
  const choice = supportedVersions().map(formatVersion).join(', ');
  const message = `spec.version is ${text}, which no longer gets fixes. Supported versions: ${choice}.`;
  return { type: types.versionAdvisory, reason: reasons.endOfLife, message };
}

const evenSize: Notice = ({ cluster: { desired } }) => {
  if (!('size' in desired) || !isWastefulSize(desired.size)) return undefined;
  const message = `${counted(desired.size, 'member')} tolerate as many failed members as ${desired.size - 1}: ${tolerance(desired.size)}. Use an odd size.`;
  return { type: types.evenSize, reason: reasons.noMoreTolerance, message };
};

const all: readonly Notice[] = [
  specRefused,
  unknownFields,
  secretsInvalid,
  alarmRaised,
  volumesOfOtherOwner,
  podsOfOtherOwner,
  servicesOfOtherOwner,
  unmanagedMembers,
  podsOutdated,
  adoptedPods,
  versionAdvisory,
  evenSize,
];

function namesOfOthers(
  kind: string,
  items: readonly { readonly name: string; readonly ownership: 'ours' | 'other' }[],
): readonly string[] {
  return items
    .filter((item) => item.ownership === 'other')
    .map((item) => `${kind}/${item.name}`)
    .sort();
}

function oldestRunning({ voters }: Assessment) {
  const versions = voters.flatMap(({ answer }) =>
    answer?.kind === 'status' ? (parseVersion(answer.version) ?? []) : [],
  );
  return versions.sort(compareVersions)[0];
}
