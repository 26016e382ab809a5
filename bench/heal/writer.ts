// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { type MemberClient, prefixEnd, toBytes } from '@operator-parts/etcd';
import type { HealLab } from './heal-lab.ts';

/** The target of the writes: the present pods, and how to connect to a member. */
type Ground = Pick<HealLab, 'pods' | 'member'>;

const timeoutMs = 600;
const pauseMs = 10;

/**
 * A client that knows all members, waits 0.6 s for each, and tries the next at once: what an application sees of a
 * disturbance. Every write has its own key, so that a lost acknowledged write is noticed.
 */
export class Writer {
  readonly #ground: Ground;
  readonly #selector: string;
  readonly #prefix: string;
  readonly #acknowledged: string[] = [];
  readonly #clients = new Map<string, MemberClient>();
  readonly #ended: Promise<void>;
  #stopped = false;
  #last = performance.now();
  #longest = 0;
  #turn = 0;

  constructor(ground: Ground, cluster: string, prefix: string) {
    this.#ground = ground;
    this.#selector = `etcd_cluster=${cluster}`;
    this.#prefix = prefix;
    this.#ended = this.#run();
  }

  /** Seconds of the longest wait for an acknowledgement since the last call, including the current wait. */
  longestGap(): number {
    const longest = Math.max(this.#longest, performance.now() - this.#last);
    this.#longest = 0;
    return longest / 1000;
  }

  /** Stops writing; resolves when the last write is acknowledged. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  /** Stops, and counts the acknowledged writes that are missing. */
  async lost(): Promise<{ readonly written: number; readonly lost: number }> {
    await this.stop();
    await this.#refresh();
    const [client] = this.#clients.values();
    if (!client) throw new Error('nothing was ever written');
    const key = toBytes(this.#prefix);
    const { kvs } = await client.kv.range({ key, rangeEnd: prefixEnd(key), keysOnly: true });
    const there = new Set(kvs.map((pair) => Buffer.from(pair.key).toString()));
    for (const open of this.#clients.values()) open.close();
    return { written: this.#acknowledged.length, lost: this.#acknowledged.filter((name) => !there.has(name)).length };
  }

  async #run(): Promise<void> {
    await this.#refresh();
    for (let index = 0; !this.#stopped; index++) {
      await this.#write(`${this.#prefix}${index}`);
      await sleep(pauseMs);
    }
  }

  /** Retries until it is acknowledged. */
  async #write(name: string): Promise<void> {
    const pair = { key: toBytes(name), value: toBytes('1') };
    for (;;) {
      const members = [...this.#clients.values()];
      const member = members[this.#turn % Math.max(1, members.length)];
      try {
        if (!member) throw new Error('no member is known');
        await member.kv.put(pair);
        const now = performance.now();
        this.#longest = Math.max(this.#longest, now - this.#last - pauseMs);
        this.#last = now;
        this.#acknowledged.push(name);
        return;
      } catch {
        this.#turn += 1;
        // Waiting for an answer and updating the list are independent.
        void this.#refresh().catch(() => undefined);
        if (!member) await sleep(pauseMs);
      }
    }
  }

  async #refresh(): Promise<void> {
    const found = await this.#ground.pods(this.#selector);
    const alive = new Set(
      found.flatMap(({ status, metadata }) => (metadata?.deletionTimestamp ? [] : (status?.podIP ?? []))),
    );
    for (const [address, client] of this.#clients) {
      if (alive.has(address)) continue;
      this.#clients.delete(address);
      client.close();
    }
    for (const address of alive) {
      if (!this.#clients.has(address)) this.#clients.set(address, this.#ground.member(address, timeoutMs));
    }
  }
}
