// SPDX-License-Identifier: Apache-2.0
import type { Answer, EtcdMember, Observation } from '@etcd-operator/operator';
import { describeUnreached, unreachedMembers } from '../unreached.ts';
import { formatBytes } from './bytes.ts';
import type { Report } from './print.ts';
import { table } from './table.ts';

/** etcd's own member list with the status of each member. */
export function membersReport(observation: Observation): Report {
  const { cluster, etcd } = observation;
  const { membership, answers } = etcd;
  const unreached = new Map(unreachedMembers(observation).map(({ name, why }) => [name, why]));
  const isKnown = membership.kind === 'known';
  const listed = isKnown ? membership.members : (membership.remembered ?? []);
  const members = [...listed]
    .sort((a, b) => (a.podName < b.podName ? -1 : 1))
    .map((member) => memberData(member, answers.get(member.podName), unreached.get(member.podName)));
  const note =
    isKnown || members.length === 0
      ? []
      : [
          `No linearizable member list is available: ${membership.why}. The list below comes from one member and may be stale.`,
          '',
        ];
  return {
    data: {
      name: cluster.name,
      namespace: cluster.namespace,
      linearizable: isKnown,
      ...(isKnown ? { clusterID: membership.clusterId } : { why: membership.why }),
      members,
    },
    lines: (wide) => [...note, ...(members.length > 0 ? rowsOf(members, wide) : [])],
    failure: isKnown ? undefined : failureOf(observation, membership),
  };
}

/** Why there is no member list from etcd itself. */
function failureOf(
  observation: Observation,
  { why, locked }: Extract<Observation['etcd']['membership'], { kind: 'unknown' }>,
): string {
  const { namespace, name } = observation.cluster;
  const { answers } = observation.etcd;
  const cluster = `EtcdCluster ${namespace}/${name}`;
  if (answers.size === 0)
    return `${cluster} has no pods, so no member is reachable. To see why: kubectl etcd status ${name}`;
  if (locked !== undefined) return `the members of ${cluster} cannot be listed. ${locked}`;
  const unreached = unreachedMembers(observation);
  if (unreached.length === answers.size)
    return `no member of ${cluster} is reachable from here: ${describeUnreached(unreached)}`;
  return `the members of ${cluster} cannot be listed, because no quorum answers: ${why}`;
}

type MemberData = ReturnType<typeof memberData>;

function memberData(
  { id, name, podName, peerURLs, isLearner }: EtcdMember,
  answer: Answer | undefined,
  unreached: string | undefined,
) {
  const base = { name: podName, id, started: name !== '', learner: isLearner, peerURLs };
  if (answer?.kind !== 'status') {
    const why =
      unreached === undefined ? 'the member has no pod that could be asked' : `not reachable from here: ${unreached}`;
    return { ...base, role: isLearner ? 'Learner' : 'Unknown', answers: false, why };
  }
  const role = isLearner ? 'Learner' : answer.leaderId === id ? 'Leader' : 'Follower';
  const { version, revision, raftIndex, raftAppliedIndex, dbSize, alarms } = answer;
  return { ...base, role, answers: true, version, revision, raftIndex, raftAppliedIndex, dbSize, alarms };
}

function rowsOf(members: readonly MemberData[], wide: boolean): readonly string[] {
  const headings = ['NAME', 'ID', 'ROLE', 'VERSION', 'REVISION', 'SIZE', ...(wide ? ['COMMITTED', 'PEER URLS'] : [])];
  return table(
    [...headings, 'WHY'],
    members.map((member) => [
      member.name,
      member.id,
      member.role,
      'version' in member ? member.version : '-',
      'revision' in member ? String(member.revision) : '-',
      'dbSize' in member ? formatBytes(member.dbSize) : '-',
      ...(wide ? ['raftIndex' in member ? String(member.raftIndex) : '-', member.peerURLs.join(',')] : []),
      'why' in member ? member.why : member.alarms.join(', '),
    ]),
  );
}
