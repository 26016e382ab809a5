// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@operator-parts/etcd';
import type { DataHash } from '../../observation.ts';
import { type Assessment, isPresent, type MemberView } from '../assessment.ts';
import { raisedFor } from '../rolling/disruption.ts';
import { membersNamed } from '../sentence.ts';

/** The data hashes of the voters while etcd has raised CORRUPT. */
export interface Corruption {
  /** IDs of the members for which etcd raised the alarm; `0` if etcd could not tell which. */
  readonly raisedFor: readonly string[];
  readonly told: readonly { readonly view: MemberView; readonly hash: DataHash }[];
  /** Voters whose data agrees with a strict majority of all voters; empty if there is no majority, or nothing to compare with. */
  readonly sound: readonly MemberView[];
  /** Voters whose data differs from the majority. */
  readonly deviating: readonly MemberView[];
  /** True if all voters hold the same data and have reached the same revision. */
  readonly isSettled: boolean;
}

/**
 * Undefined while CORRUPT is not raised. The alarm shows only that data differs. Which member differs is found by comparing the hashes of
 * all voters at one revision (etcd fact 9). The member that etcd names in the alarm is not used: the check of etcd assumes that the leader
 * is right, and etcd 3.5 names no member.
 */
export function corruptionOf(assessment: Assessment): Corruption | undefined {
  const raised = raisedFor(assessment, 'CORRUPT');
  if (raised.length === 0) return undefined;
  const { voters, observation, clusterId } = assessment;
  const told = voters.flatMap((view) => {
    const hash = observation.etcd.hashes.get(view.name);
    return hash && isPresent(view, clusterId) ? [{ view, hash }] : [];
  });
  const sound = areComparable(told.map(({ hash }) => hash)) && voters.length > 1 ? majority(voters.length, told) : [];
  const deviating = sound.length > 0 ? told.filter(({ view }) => !sound.includes(view)).map(({ view }) => view) : [];
  const isSettled = sound.length === voters.length && new Set(told.map(({ hash }) => hash.reached)).size === 1;
  return { raisedFor: raised, told, sound, deviating, isSettled };
}

/** True while CORRUPT is raised and it is not known which members have the right data. */
export function isDisputed(assessment: Assessment): boolean {
  return corruptionOf(assessment)?.sound.length === 0;
}

/** Hashes can be compared only if they have the same revision and the same compact revision. */
function areComparable(hashes: readonly DataHash[]): boolean {
  return new Set(hashes.map(({ revision, compactRevision }) => `${revision}/${compactRevision}`)).size === 1;
}

function majority(voters: number, told: Corruption['told']): readonly MemberView[] {
  const groups = Map.groupBy(told, ({ hash }) => hash.hash);
  const [found] = [...groups.values()].filter((group) => group.length >= quorum(voters));
  return found?.map(({ view }) => view) ?? [];
}

/** Says what the problem is, and what the operator does or a person must do about it. */
export function describeCorruption({ voters }: Assessment, corruption: Corruption): string {
  const { told, sound, deviating, isSettled } = corruption;
  const revision = told[0] ? ` at revision ${told[0].hash.revision}` : '';
  const hashes = voters.map((view) => `${view.name} ${hashOf(corruption, view)}`).join(', ');
  const facts = `HashKV${revision}: ${hashes}.`;
  if (isSettled) return `All voters hold the same data. Disarming the alarm. ${facts}`;
  if (deviating.length > 0) {
    const names = membersNamed(deviating.map(({ name }) => name));
    return `The data of ${names} differs from the majority. Replacing ${names}; after that the alarm is disarmed. ${facts}`;
  }
  if (sound.length > 0) {
    const missing = voters.filter((view) => !sound.includes(view)).map(({ name }) => name);
    return missing.length > 0
      ? `Waiting for ${membersNamed(missing)} to be compared with the majority of voters. ${facts}`
      : `Waiting for all voters to reach the same revision. ${facts}`;
  }
  return `No majority of voters is known to hold the same data. No member is replaced; see runbook data-corruption. ${facts}`;
}

function hashOf({ told }: Corruption, view: MemberView): string {
  const found = told.find((one) => one.view === view)?.hash;
  return found ? `${found.hash} (compacted at ${found.compactRevision})` : 'unknown';
}
