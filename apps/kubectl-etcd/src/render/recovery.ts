// SPDX-License-Identifier: Apache-2.0
import type { MemberPod, MemberVolume, Observation } from '@etcd-operator/operator';
import type { Report } from './print.ts';
import { table } from './table.ts';

/** The remaining data of one member of a cluster without quorum. */
export interface RemainingMember {
  readonly name: string;
  readonly pod: string;
  readonly node: string;
  readonly volume: boolean;
  readonly raftIndex?: number;
  readonly revision?: number;
  readonly has: string;
}

/** The source for recovering a cluster. Fails if there is nothing to recover, or no source. */
export function recoveryReport(observation: Observation, wanted: string | undefined): Report {
  const { cluster, etcd } = observation;
  const members = remainingMembers(observation);
  const sources = members.filter(({ volume, raftIndex }) => volume || raftIndex !== undefined);
  const lost = members.filter((member) => !sources.includes(member)).map(({ name }) => name);
  const hasQuorum = etcd.membership.kind === 'known';
  const failure = hasQuorum
    ? `EtcdCluster ${cluster.namespace}/${cluster.name} has a quorum: recovery is not needed`
    : whyImpossible(sources, wanted);
  const command = `kubectl etcd recover ${cluster.name}${wanted === undefined ? '' : ` --member ${wanted}`} --yes`;
  return {
    data: { name: cluster.name, namespace: cluster.namespace, quorum: hasQuorum, members, lost, command },
    lines: () => [
      ...rowsOf(members),
      ...(failure === undefined ? ['', ...explain(sources, lost, wanted), `To recover, run: ${command}`] : []),
    ],
    failure,
  };
}

/** All members in the last known member list, and those with a pod or a volume. */
function remainingMembers({ cluster, pods: all, volumes, etcd }: Observation): readonly RemainingMember[] {
  const { membership, answers } = etcd;
  const listed = membership.kind === 'known' ? membership.members : (membership.remembered ?? []);
  const { incarnation } = cluster.recordedInAnnotation ?? cluster.recordedInStatus ?? { incarnation: 1 };
  // Volumes of previous incarnations are kept, but do not contain present data.
  const isPresent = (item: MemberPod | MemberVolume) => item.ownership === 'ours' && item.incarnation === incarnation;
  const pods = all.filter(isPresent);
  const own = volumes.filter((volume) => isPresent(volume) && !volume.terminating);
  const names = new Set([
    ...listed.map(({ podName }) => podName),
    ...pods.map(({ name }) => name),
    ...own.map(({ name }) => name),
  ]);
  return [...names].sort().map((name) => {
    const pod = pods.find((one) => one.name === name);
    const volume = own.some((one) => one.name === name);
    const answer = answers.get(name);
    const said = answer?.kind === 'status' ? { raftIndex: answer.raftIndex, revision: answer.revision } : {};
    const state = pod?.terminating ? 'Terminating' : (pod?.phase ?? '-');
    return {
      name,
      pod: state,
      node: pod?.node || '-',
      volume,
      ...said,
      has: describe(answer?.kind === 'status', volume),
    };
  });
}

function describe(answers: boolean, volume: boolean): string {
  if (answers)
    return volume ? 'reachable, no leader; its log is read from its volume' : 'reachable, no leader; no volume';
  return volume ? 'its log is read from its volume' : 'nothing';
}

function rowsOf(members: readonly RemainingMember[]): readonly string[] {
  const shown = (value: number | undefined) => (value === undefined ? '-' : String(value));
  return table(
    ['MEMBER', 'POD', 'NODE', 'VOLUME', 'RAFT INDEX', 'REVISION', 'DATA'],
    members.map(({ name, pod, node, volume, raftIndex, revision, has }) => [
      name,
      pod,
      node,
      volume ? 'yes' : 'no',
      shown(raftIndex),
      shown(revision),
      has,
    ]),
  );
}

function whyImpossible(sources: readonly RemainingMember[], wanted: string | undefined): string | undefined {
  if (sources.length === 0)
    return 'no member has data that the cluster can be recovered from: restore a backup instead';
  if (wanted === undefined || sources.some(({ name }) => name === wanted)) return undefined;
  return `member ${wanted} has no data; members with data: ${sources.map(({ name }) => name).join(', ')}`;
}

function explain(
  sources: readonly RemainingMember[],
  lost: readonly string[],
  wanted: string | undefined,
): readonly string[] {
  const from =
    wanted !== undefined
      ? `member ${wanted}, unless another member is ahead of it`
      : sources.length === 1
        ? `member ${sources[0]?.name}`
        : 'the member whose log is the most advanced';
  const bare = sources.filter(({ volume }) => !volume).map(({ name }) => name);
  return [
    `Would create a new incarnation of the cluster from ${from}. The volumes of all members are kept.`,
    ...(lost.length > 0 ? [`Lost: writes that no member but ${lost.join(', ')} received.`] : []),
    ...(bare.length > 0
      ? [`Lost: writes that ${bare.join(', ')} received but had not applied, because there is no volume to read.`]
      : []),
  ];
}
