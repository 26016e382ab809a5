// SPDX-License-Identifier: Apache-2.0
import type { Simulation } from './simulation.ts';

/**
 * A volume comes back as it was a while ago: from a snapshot of its disk, or from a replica of the storage that had fallen behind. Only
 * where all other voters have everything: what a majority has forgotten nobody can bring back.
 */
export function bringBackOldDisk(simulation: Simulation, pick: number, after: number): void {
  const { world, clock } = simulation;
  const found = world.simPods().filter(({ pod }) => pod.place.startsWith('claim/') && world.directories.has(pod.place));
  const place = found[pick % Math.max(1, found.length)]?.pod.place ?? '';
  const directory = world.directories.get(place);
  if (!directory) return;
  const old = { ...directory, log: [...directory.log] };
  clock.schedule(after, () => {
    const user = world.simPods().find(({ pod }) => pod.place === place);
    const leader = simulation.leader();
    if (!user || !leader || world.directories.get(place) !== directory) return;
    const voters = leader.state.voters();
    const others = voters.filter(({ id }) => id !== directory.memberId);
    const isWhole = others.every(({ id }) => {
      const voter = id === leader.id ? leader : world.ether.wire.peer(leader, id);
      return voter !== undefined && voter.lastIndex >= leader.directory.commit;
    });
    if (others.length < 2 || !isWhole) return;
    simulation.note(`the disk of ${user.pod.name} is as it was ${Math.round(after / 1000)} s ago`);
    user.kubelet.crash(user.pod);
    world.directories.set(place, old);
  });
}
