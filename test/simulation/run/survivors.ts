// SPDX-License-Identifier: Apache-2.0
import { annotations } from '@etcd-operator/operator/testing/restore-pods';
import { AppliedState } from '../etcd/applied-state.ts';
import type { DataDirectory } from '../etcd/data-directory.ts';
import type { Simulation } from './simulation.ts';

/**
 * Whether enough data is left for a quorum, by what lies on the disks: the directory that knows most says who votes. Without a quorum
 * only a person may decide what counts (safety rule 7).
 */
export function survivors(simulation: Simulation): { readonly isRecoverable: boolean; readonly words: string } {
  const { world } = simulation;
  const { metadata, status } = simulation.cluster() ?? {};
  const recorded = metadata?.annotations?.[annotations.clusterId] ?? status?.clusterID;
  const used = new Set(world.simPods().map(({ pod }) => pod.place));
  const left = [...world.directories].filter(([place]) => place.startsWith('claim/') || used.has(place));
  const outside = [...world.outsiders.values()].map(({ directory }) => directory);
  const found = [...left.map(([, directory]) => directory), ...outside];
  const present = found.filter(({ clusterId }) => clusterId === recorded);
  // What a restore has replaced does not count any more.
  const directories = recorded === undefined ? found : present;
  const best = directories.toSorted((a, b) => b.commit - a.commit || b.log.length - a.log.length)[0];
  if (!best) return { isRecoverable: false, words: 'no data is left' };
  const voters = stateOf(best).voters();
  const alive = voters.filter(({ id }) => directories.some(({ memberId }) => memberId === id));
  const isRecoverable = alive.length >= Math.floor(voters.length / 2) + 1;
  return { isRecoverable, words: `data of ${alive.length} of ${voters.length} voters is left` };
}

function stateOf({ log, commit }: DataDirectory): AppliedState {
  const state = new AppliedState();
  for (const { command } of log.slice(0, commit)) state.apply(command, 100);
  return state;
}
