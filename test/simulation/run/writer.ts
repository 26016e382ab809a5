// SPDX-License-Identifier: Apache-2.0
import type { Random } from '@operator-parts/ports';
import type { Entry } from '../etcd/data-directory.ts';
import type { Member } from '../etcd/member.ts';
import type { SimPod } from '../world/sim-pod.ts';
import { clusterKey } from './cluster-key.ts';
import type { Simulation } from './simulation.ts';

interface Acknowledged {
  readonly index: number;
  readonly value: string;
}

/**
 * A client of the Service: writes a new value every few seconds through any pod that is ready, and remembers what was acknowledged.
 * Whoever leads must have all of it (invariant I2).
 */
export class Writer {
  readonly #simulation: Simulation;
  readonly #random: Random;
  /** By cluster ID. */
  readonly #acknowledged = new Map<string, Acknowledged[]>();
  #serial = 0;
  #isStopped = false;

  constructor(simulation: Simulation, random: Random) {
    this.#simulation = simulation;
    this.#random = random;
  }

  hasWrittenTo(clusterId: string): boolean {
    return (this.#acknowledged.get(clusterId)?.length ?? 0) > 0;
  }

  acknowledgedBy(clusterId: string): readonly string[] {
    return (this.#acknowledged.get(clusterId) ?? []).map(({ value }) => value);
  }

  stop(): void {
    this.#isStopped = true;
  }

  start(): void {
    const { clock } = this.#simulation;
    if (this.#isStopped) return;
    clock.schedule(2_000 + this.#random.next() * 6_000, () => {
      this.#write();
      this.start();
    });
  }

  /** Undefined, or what a new leader has lost. */
  lostBy(leader: Member): string | undefined {
    const { log, clusterId } = leader.directory;
    const lost = (this.#acknowledged.get(clusterId) ?? []).find(
      ({ index, value }) => valueIn(log[index - 1]) !== value,
    );
    return lost && `${leader.settings.name} leads without the acknowledged write ${lost.value} (entry ${lost.index})`;
  }

  #write(): void {
    const { world } = this.#simulation;
    const ready = servedMembers(world);
    const member = ready[Math.floor(this.#random.next() * ready.length)];
    if (!member) return;
    const value = `w${++this.#serial}`;
    const { clusterId } = member.directory;
    let name = '';
    world.ether.submit(
      member,
      (request) => {
        name = request;
        return { kind: 'put', key: 'k', value, request };
      },
      (refusal) => {
        if (refusal !== undefined) return;
        const index =
          member.directory.log.findLastIndex(({ command }) => command.kind === 'put' && command.request === name) + 1;
        const known = this.#acknowledged.get(clusterId) ?? [];
        known.push({ index, value });
        this.#acknowledged.set(clusterId, known);
      },
    );
  }
}

/** Members to which the Services lead; of one EtcdCluster if its UID is given. */
export function servedMembers(world: Simulation['world'], uid?: string): readonly Member[] {
  return world.simPods().flatMap(({ pod, kubelet }) => {
    const isUp = pod.isReady && kubelet.isUp && pod.member?.isServing;
    const isOf = uid === undefined || pod.object.metadata?.ownerReferences?.[0]?.uid === uid;
    return isUp && isOf && pod.member && isServed(world, pod) ? pod.member : [];
  });
}

/** The Services lead to pods with this label. */
function isServed({ stored }: Simulation['world'], { uid }: SimPod): boolean {
  const labels = stored.get(uid)?.metadata?.labels;
  return labels?.['app'] === 'etcd' && labels['etcd_cluster'] === clusterKey.name;
}

function valueIn(entry: Entry | undefined): string | undefined {
  return entry?.command.kind === 'put' ? entry.command.value : undefined;
}
