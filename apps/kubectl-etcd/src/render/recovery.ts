// SPDX-License-Identifier: Apache-2.0
import type { MemberPod, MemberVolume, Observation } from '@etcd-operator/operator';
import { describeUnreached, servesUnreached, unreachedMembers } from '../unreached.ts';
import type { Report } from './print.ts';
import { table } from './table.ts';

/** What a member without a quorum answers. */
export interface SurvivorAnswer {
  readonly term: number;
  /** The last index that it knows to be committed. Its log may have more entries, which no answer tells. */
  readonly committed: number;
  readonly applied?: number;
  readonly revision: number;
  readonly hasLeader: boolean;
  /** Of the keys up to a revision that all members which answer have reached. */
  readonly hash?: number;
  readonly hashRevision?: number;
}

/** The remaining data of one member of a cluster without quorum. */
export interface RemainingMember extends Partial<SurvivorAnswer> {
  readonly name: string;
  readonly pod: string;
  readonly node: string;
  readonly volume: boolean;
  readonly has: string;
  /** Neither a pod nor a volume is left. A member that does not answer is not gone. */
  readonly gone: boolean;
}

/** The source for recovering a cluster. Fails if there is nothing to recover, or no source. */
export function recoveryReport(
  observation: Observation,
  wanted: string | undefined,
  answers: ReadonlyMap<string, SurvivorAnswer>,
): Report {
  const { cluster } = observation;
  const members = remainingMembers(observation, answers);
  const sources = members.filter(({ volume, committed }) => volume || committed !== undefined);
  const unread = members.filter((member) => !sources.includes(member));
  const lost = unread.filter(({ gone }) => gone).map(({ name }) => name);
  const unreached = unread.filter(({ gone }) => !gone).map(({ name }) => name);
  const whyServing = servesAlready(observation);
  const failure = whyServing ?? whyImpossible(sources, unreached, wanted);
  const command = `kubectl etcd recover ${cluster.name}${wanted === undefined ? '' : ` --member ${wanted}`} --yes`;
  return {
    data: {
      name: cluster.name,
      namespace: cluster.namespace,
      quorum: whyServing !== undefined,
      members,
      lost,
      unreached,
      command,
    },
    lines: () => [
      ...rowsOf(members),
      ...(failure === undefined
        ? ['', ...explain(sources, { lost, unreached }, wanted), `To recover, run: ${command}`]
        : []),
    ],
    failure,
  };
}

/** Why no recovery is needed; undefined if there may be no quorum. */
function servesAlready(observation: Observation): string | undefined {
  const { cluster, etcd } = observation;
  const subject = `EtcdCluster ${cluster.namespace}/${cluster.name}`;
  if (etcd.membership.kind === 'known') return `${subject} has a quorum: recovery is not needed`;
  if (!servesUnreached(observation)) return undefined;
  const who = describeUnreached(unreachedMembers(observation));
  return `Kubernetes reports that a quorum of the pods of ${subject} is Ready, so recovery is not needed. Not reachable from here: ${who}`;
}

/** All members in the last known member list, and those with a pod or a volume. */
function remainingMembers(
  { cluster, pods: all, volumes, etcd }: Observation,
  answers: ReadonlyMap<string, SurvivorAnswer>,
): readonly RemainingMember[] {
  const { membership } = etcd;
  const listed = membership.kind === 'known' ? membership.members : (membership.remembered ?? []);
  const { incarnation } = cluster.recordedInAnnotation ?? cluster.recordedInStatus ?? { incarnation: 1 };
  // Volumes of previous incarnations are kept, but do not contain present data.
  const isPresent = (item: MemberPod | MemberVolume) => item.ownership === 'ours' && item.incarnation === incarnation;
  const pods = all.filter(isPresent);
  const own = volumes.filter(isPresent);
  const names = new Set([
    ...listed.map(({ podName }) => podName),
    ...pods.map(({ name }) => name),
    ...own.map(({ name }) => name),
  ]);
  return [...names].sort().map((name) => {
    const pod = pods.find((one) => one.name === name);
    const found = own.find((one) => one.name === name);
    const volume = found !== undefined && !found.terminating;
    const answer = answers.get(name);
    const state = pod?.terminating ? 'Terminating' : (pod?.phase ?? '-');
    const gone = pod === undefined && found === undefined;
    const has = describe(answer, pod !== undefined, found);
    return { name, pod: state, node: pod?.node || '-', volume, ...answer, has, gone };
  });
}

function describe(answer: SurvivorAnswer | undefined, hasPod: boolean, volume: MemberVolume | undefined): string {
  const ending = volume?.terminating ? 'its volume is being deleted' : undefined;
  const kept = ending ?? (volume ? 'its WAL is read from its volume' : undefined);
  if (answer) return `etcd is reachable, ${answer.hasLeader ? 'has a leader' : 'no leader'}; ${kept ?? 'no volume'}`;
  if (hasPod) return `etcd is not reachable from here; ${kept ?? 'its data is in its pod alone'}`;
  return kept ?? 'nothing';
}

function rowsOf(members: readonly RemainingMember[]): readonly string[] {
  const shown = (value: number | undefined) => (value === undefined ? '-' : String(value));
  return table(
    ['MEMBER', 'POD', 'NODE', 'VOLUME', 'TERM', 'COMMITTED', 'APPLIED', 'REVISION', 'HASH', 'DATA'],
    members.map(({ name, pod, node, volume, term, committed, applied, revision, hash, has }) => [
      name,
      pod,
      node,
      volume ? 'yes' : 'no',
      shown(term),
      shown(committed),
      shown(applied),
      shown(revision),
      hash === undefined ? '-' : hash.toString(16).padStart(8, '0'),
      has,
    ]),
  );
}

function whyImpossible(
  sources: readonly RemainingMember[],
  unreached: readonly string[],
  wanted: string | undefined,
): string | undefined {
  if (sources.length === 0)
    return unreached.length === 0
      ? 'the cluster cannot be recovered, because no member has usable data. Restore a backup instead'
      : `no member with data is reachable from here (${unreached.join(', ')}): make one of these members reachable. Restore a backup only if the data of all these members is gone`;
  if (wanted === undefined) return whyUndecided(sources);
  if (sources.some(({ name }) => name === wanted)) return undefined;
  if (unreached.includes(wanted))
    return `member ${wanted} is not reachable from here; members with data that can be read: ${namesOf(sources)}`;
  return `member ${wanted} has no data; members with data: ${namesOf(sources)}`;
}

/** A log says more than the answer of a running etcd, so the recovery itself refuses this, too. */
function whyUndecided(sources: readonly RemainingMember[]): string | undefined {
  if (sources.every(({ volume }) => volume) || sources.every(({ volume }) => !volume)) return undefined;
  return `members with a volume cannot be compared with members without a volume. Name the member to recover from with --member (${namesOf(sources)})`;
}

function explain(
  sources: readonly RemainingMember[],
  { lost, unreached }: Readonly<Record<'lost' | 'unreached', readonly string[]>>,
  wanted: string | undefined,
): readonly string[] {
  const isRead = sources.some(({ volume }) => volume);
  const bare = sources.filter(({ volume }) => !volume);
  return [
    `The recovery would create a new incarnation of the cluster from ${whom(sources, wanted)}. The volumes of all members are kept.`,
    ...hashesOf(sources),
    ...(lost.length > 0 ? [`Writes that only ${lost.join(', ')} received would be lost.`] : []),
    ...(unreached.length > 0
      ? [
          `Not reachable from here: ${unreached.join(', ')}. The operator asks these members when the recovery begins. If it does not reach them either, writes that only they received are lost.`,
        ]
      : []),
    ...(bare.length > 0
      ? [`Writes that ${namesOf(bare)} received but had not applied would be lost, because there is no volume to read.`]
      : []),
    ...(isRead ? unread(sources, wanted) : []),
  ];
}

function whom(sources: readonly RemainingMember[], wanted: string | undefined): string {
  if (wanted !== undefined) return `member ${wanted}, unless another member has newer data`;
  if (sources.length === 1) return `member ${sources[0]?.name}`;
  const [first, second] = sources.toSorted((a, b) => (b.committed ?? 0) - (a.committed ?? 0));
  if (sources.every(({ volume }) => !volume)) return `member ${first?.name}, which has the highest committed index`;
  const isAhead = sources.every(({ committed }) => committed !== undefined) && first?.committed !== second?.committed;
  const whose = 'the member whose write-ahead log (WAL) ends with the highest term and the highest index in that term';
  return isAhead ? `${whose} (by committed index, ${first?.name})` : whose;
}

/** Equal hashes show that members have the same keys, and different ones that they do not. */
function hashesOf(sources: readonly RemainingMember[]): readonly string[] {
  const hashed = sources.filter(({ hash }) => hash !== undefined);
  if (hashed.length < 2) return [];
  const of = `at revision ${hashed[0]?.hashRevision}`;
  return new Set(hashed.map(({ hash }) => hash)).size === 1
    ? [`HashKV ${of} is the same on ${namesOf(hashed)}: these members hold the same data.`]
    : [`HashKV ${of} differs between ${namesOf(hashed)}, so at least one of these members holds damaged data.`];
}

/** What is known only once the recovery has begun, and what it does then. */
function unread(sources: readonly RemainingMember[], wanted: string | undefined): readonly string[] {
  const logs = sources.length === 1 || wanted !== undefined ? 'WAL' : 'WALs';
  return [
    `COMMITTED and APPLIED come from running members; the write-ahead log (WAL) of a member may have newer entries. The operator reads the ${logs} after the recovery has begun: it takes a snapshot of a running member, stops the members, then reads.`,
    'The recovery fails if the WAL of a member is damaged or lacks committed entries, or if WALs contradict each other and the operator can read the WALs of fewer than a majority of the voters. The EtcdRestore then reports the cause, and the operator starts the members again. If the damaged WAL is that of the member of which a snapshot was taken, the recovery does not fail: the operator restores the snapshot.',
  ];
}

function namesOf(members: readonly RemainingMember[]): string {
  return members.map(({ name }) => name).join(', ');
}
