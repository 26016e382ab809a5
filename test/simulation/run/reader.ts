// SPDX-License-Identifier: Apache-2.0
import type { Random } from '@operator-parts/ports';
import { canRead, leaderOf } from '../etcd/raft.ts';
import type { Simulation } from './simulation.ts';
import { servedMembers } from './writer.ts';

/**
 * A client of the Service that reads: the revision that it is told never goes back as long as the EtcdCluster is the same one, whatever
 * is restored meanwhile (invariant I2).
 */
export class Reader {
  readonly #simulation: Simulation;
  readonly #random: Random;
  /** The highest revision that was read, by UID of the EtcdCluster, and from whom. */
  readonly #highest = new Map<string, { readonly revision: number; readonly from: string }>();

  constructor(simulation: Simulation, random: Random) {
    this.#simulation = simulation;
    this.#random = random;
  }

  start(): void {
    this.#simulation.clock.schedule(1_000 + this.#random.next() * 4_000, () => {
      this.#read();
      this.start();
    });
  }

  /** A linearizable read, where it is answered at once. */
  #read(): void {
    const { world } = this.#simulation;
    const uid = this.#simulation.cluster()?.metadata?.uid ?? '';
    const served = servedMembers(world, uid);
    const member = served[Math.floor(this.#random.next() * served.length)];
    const leader = member && leaderOf(member, world.ether.wire);
    if (!leader || !canRead(leader, world.ether.wire) || member.applied < leader.directory.commit) return;
    const { revision } = member.state;
    const before = this.#highest.get(uid);
    if (before && revision < before.revision)
      this.#simulation.fail(
        `I2: ${member.settings.name} answers revision ${revision}, and ${before.from} answered ${before.revision} before`,
      );
    if (!before || revision > before.revision) this.#highest.set(uid, { revision, from: member.settings.name });
  }
}
