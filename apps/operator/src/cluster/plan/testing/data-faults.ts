// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@operator-parts/etcd';
import type { World } from './world.ts';

/** The fault in each voter's data, by member ID; undefined if there is none. Voters without data are left out. */
export function faultsOfVoters({ directories, unmanaged, etcd }: World): ReadonlyMap<string, string | undefined> {
  const held = [...directories.values(), ...[...unmanaged.values()].map(({ directory }) => directory)];
  return new Map(
    etcd.voters().flatMap(({ id }) => {
      const found = held.find(({ memberId }) => memberId === id);
      return found ? [[id, found.fault] as const] : [];
    }),
  );
}

/** IDs of the voters that have the same data as a strict majority of all voters; empty if there is no majority, or only one voter. */
export function soundVoters(world: World): readonly string[] {
  const voters = world.etcd.voters().length;
  const groups = Map.groupBy(faultsOfVoters(world), ([, fault]) => fault);
  const [found] = [...groups.values()].filter((group) => group.length >= quorum(voters));
  return voters > 1 ? (found?.map(([id]) => id) ?? []) : [];
}

/** True if data with this fault is known to be wrong: etcd has raised CORRUPT, and a majority of the voters has other data. */
export function isKnownWrong(world: World, fault: string | undefined): boolean {
  const [first = ''] = soundVoters(world);
  return fault !== undefined && world.noticed.has(fault) && first !== '' && faultsOfVoters(world).get(first) !== fault;
}

/**
 * The user decides whose data is right if the operator cannot decide it: no majority of the voters has the same data, or a member that is
 * needed for a majority has been missing for long.
 */
export function decideByHand(world: World, isOverdue: boolean): void {
  const processes = world.processes();
  const isMissing = world.etcd.voters().some(({ id }) => !processes.has(id));
  if (!world.isCorrupt || (soundVoters(world).length > 0 && !(isOverdue && isMissing))) return;
  world.alarms = world.alarms.filter(({ alarm }) => alarm !== 'CORRUPT');
  world.noticed.clear();
  for (const directory of world.directories.values()) directory.fault = undefined;
}
