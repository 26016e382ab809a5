// SPDX-License-Identifier: Apache-2.0
import type { ClusterPod, ClusterVolume, SurvivorFacts } from '../../observation.ts';
import type { OldData } from '../save.ts';
import type { Survivor, Unreadable } from './choose-survivor.ts';

/** A pod of the previous incarnation, with what is known about its data as that of a survivor. */
export type AskedPod = ClusterPod & { readonly survivor: SurvivorFacts };

/** All pods whose data is known or may exist. Facts that must not count are removed or corrected. */
export function askedPods({ pods, volumes }: OldData): readonly AskedPod[] {
  return asVotersOfNewest(
    pods.flatMap((pod) =>
      pod.survivor ? [{ ...pod, survivor: asItsOwn(inItsPod(pod.survivor, pod, volumes), pod.name, volumes) }] : [],
    ),
  );
}

/**
 * A deleted volume exists as long as the pod that uses it. No other pod can read the volume, but the etcd in this pod can be asked, like
 * that of a pod without a volume.
 */
function inItsPod(
  survivor: SurvivorFacts,
  { name, startedBy }: ClusterPod,
  volumes: readonly ClusterVolume[],
): SurvivorFacts {
  const isGoing = volumes.some((volume) => volume.name === name && volume.terminating);
  return isGoing && startedBy === '' && survivor.answer ? { ...survivor, onVolume: false } : survivor;
}

/**
 * Does not use a volume that was replaced by a volume with data of another cluster or member: its log cannot be compared with the logs of
 * this cluster.
 */
function asItsOwn(survivor: SurvivorFacts, name: string, volumes: readonly ClusterVolume[]): SurvivorFacts {
  const { reading } = survivor;
  const { member } = volumes.find((volume) => volume.name === name) ?? {};
  if (reading?.kind !== 'log' || !member) return survivor;
  const isOther = (found: string, known: string) => known !== '' && found !== known;
  if (!isOther(reading.clusterId, member.clusterId) && !isOther(reading.memberId, member.memberId)) return survivor;
  const why = `the volume holds data of member ${reading.memberId} of cluster ${reading.clusterId}, but member ${member.memberId} of cluster ${member.clusterId} was expected`;
  return { ...survivor, reading: { kind: 'unreadable', why } };
}

/**
 * A member that was removed may still list itself as a voter, but its log must not count for a majority. The voters of the newest log
 * decide.
 */
function asVotersOfNewest(asked: readonly AskedPod[]): readonly AskedPod[] {
  const logs = asked.flatMap(({ survivor: { reading } }) => (reading?.kind === 'log' ? [reading] : []));
  const [newest] = logs.toSorted((a, b) => b.term - a.term || b.index - a.index);
  if (!newest) return asked;
  return asked.map((pod) => {
    const { reading } = pod.survivor;
    if (reading?.kind !== 'log' || newest.voterIds.includes(reading.memberId)) return pod;
    return { ...pod, survivor: { ...pod.survivor, reading: { ...reading, isVoter: false } } };
  });
}

export function survivorOf(name: string, { reading, answer, onVolume }: SurvivorFacts): readonly Survivor[] {
  if (reading?.kind === 'log') {
    const { kind, clusterId: _cluster, memberId: _member, voterIds: _voters, newestEntry: _newest, ...rest } = reading;
    const { highestRevision: _highest, ...log } = rest;
    return [{ name, known: kind, ...log }];
  }
  if (onVolume || !answer) return [];
  const { index } = answer;
  return [{ name, known: 'pod', term: 0, index, commit: index, voters: 0, isVoter: true, isTorn: false, terms: [] }];
}

/** Members whose data exists, or may exist, but cannot be read. Data that was lost with its node is not included. */
export function unreadableOf({ name, mayHoldData, survivor }: AskedPod): readonly Unreadable[] {
  const { reading, onVolume, answer, broken, why } = survivor;
  if (reading?.kind === 'unreadable') return [{ name, why: reading.why }];
  // Only volumes that a member has served from are read.
  if (reading?.kind === 'blank') return [{ name, why: 'the volume is empty, although a member has served from it' }];
  if (reading) return [];
  if (onVolume) return [{ name, why: broken ?? why }];
  return answer || !mayHoldData
    ? []
    : [{ name, why: `etcd does not answer, and pod/${name} holds the only copy of the data` }];
}
