// SPDX-License-Identifier: Apache-2.0
import { quorum } from '@etcd-operator/etcd';
import type { World } from './world.ts';

/** What is wrong with the data of each voter, by its ID; undefined if nothing is. Voters whose data is gone are not there. */
export function faultsOfVoters({ directories, unmanaged, etcd }: World): ReadonlyMap<string, string | undefined> {
  const held = [...directories.values(), ...[...unmanaged.values()].map(({ directory }) => directory)];
  return new Map(
    etcd.voters().flatMap(({ id }) => {
      const found = held.find(({ memberId }) => memberId === id);
      return found ? [[id, found.fault] as const] : [];
    }),
  );
}

/** IDs of the voters that hold what a strict majority of all voters holds; empty if none does, or one voter is all. */
export function soundVoters(world: World): readonly string[] {
  const voters = world.etcd.voters().length;
  const groups = Map.groupBy(faultsOfVoters(world), ([, fault]) => fault);
  const [found] = [...groups.values()].filter((group) => group.length >= quorum(voters));
  return voters > 1 ? (found?.map(([id]) => id) ?? []) : [];
}

/** True if data is wrong, and somebody has noticed: a majority of the voters holds something else. */
export function isKnownWrong(world: World, fault: string | undefined): boolean {
  const [first = ''] = soundVoters(world);
  return fault !== undefined && world.noticed.has(fault) && first !== '' && faultsOfVoters(world).get(first) !== fault;
}

/**
 * A person decides whose data is right where the operator cannot: no majority of the voters holds the same, or somebody it needs
 * has not come back for long.
 */
export function decideByHand(world: World, isOverdue: boolean): void {
  const processes = world.processes();
  const isMissing = world.etcd.voters().some(({ id }) => !processes.has(id));
  if (!world.isCorrupt || (soundVoters(world).length > 0 && !(isOverdue && isMissing))) return;
  world.alarms = world.alarms.filter(({ alarm }) => alarm !== 'CORRUPT');
  world.noticed.clear();
  for (const directory of world.directories.values()) directory.fault = undefined;
}
