// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { MemberClient } from '@operator-parts/etcd';
import type { Client, Pod } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { etcdPods, withMember } from '../../test/e2e/testing/scenes/etcd-view.ts';
import type { Scene } from '../../test/e2e/testing/scenes/scene.ts';

const limitMs = 120_000;
const pollMs = 50;

/** A healthy voter. */
export interface Voter {
  readonly pod: Pod;
  readonly isLeader: boolean;
}

/** A namespace of a real cluster, with functions that observe members and delete pods. */
export class Ground {
  readonly scene: Scene;
  readonly #client: Client;

  constructor(scene: Scene, client: Client) {
    this.scene = scene;
    this.#client = client;
  }

  pods(selector: string): Promise<readonly Pod[]> {
    return etcdPods(this.#client, this.scene.namespace, selector);
  }

  member(host: string, timeoutMs: number): MemberClient {
    return new MemberClient({ target: { host, port: 2379 }, clock: systemClock, timeoutMs });
  }

  /** Waits until exactly this many members vote and answer, none of them in one of the pods in `gone` (by UID). */
  async healthy(selector: string, size: number, gone: ReadonlySet<string> = new Set()): Promise<readonly Voter[]> {
    const limit = performance.now() + limitMs;
    for (;;) {
      const found = (await this.pods(selector)).filter(({ metadata }) => !gone.has(metadata?.uid ?? ''));
      const voters = await Promise.all(found.map((pod) => voterOf(pod, size).catch(() => undefined)));
      const well = voters.filter((voter) => voter !== undefined);
      if (well.length === size && found.length === size) return well;
      if (performance.now() > limit) throw new Error(`${selector} was not healthy within ${limitMs / 1000} s`);
      await sleep(pollMs);
    }
  }

  /** Deletes pods and returns the seconds until as many others are healthy. */
  async lose(selector: string, size: number, pods: readonly Pod[], ...flags: readonly string[]): Promise<number> {
    const names = pods.map(({ metadata }) => metadata?.name ?? '');
    const started = performance.now();
    await this.scene.kubectl('delete', 'pod', ...names, '--wait=false', ...flags);
    await this.healthy(selector, size, new Set(pods.map(({ metadata }) => metadata?.uid ?? '')));
    return (performance.now() - started) / 1000;
  }
}

async function voterOf(pod: Pod, size: number): Promise<Voter | undefined> {
  if (!pod.status?.podIP || pod.metadata?.deletionTimestamp) return undefined;
  return withMember(pod.status.podIP, async ({ maintenance, cluster, kv }) => {
    const status = await maintenance.status();
    if (status.isLearner || status.leader === 0n) return undefined;
    const { members } = await cluster.memberList();
    await kv.range({ key: Buffer.from('health') });
    if (members.length !== size || members.some(({ isLearner }) => isLearner)) return undefined;
    return { pod, isLeader: status.leader === status.memberId };
  });
}
