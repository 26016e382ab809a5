// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@operator-parts/ports';
import type { MemberClient } from '../client/member-client.ts';
import { prefixEnd, toBytes } from '../client/services/kv.ts';

/**
 * Writes keys `written/0`, `written/1`, ... through one member as fast as possible, until it is stopped. Acknowledged
 * keys are in the log of that member, too, whatever happens to the other members.
 */
export class WritingClient implements AsyncDisposable {
  /** The keys with acknowledged writes, in order. */
  readonly acknowledged: string[] = [];
  readonly #stop = new AbortController();
  readonly #work: Promise<unknown>;
  readonly #member: MemberClient;
  #count = 0;

  /** @param member closed by this client */
  constructor(member: MemberClient, writers = 8) {
    this.#member = member;
    this.#work = Promise.all(Array.from({ length: writers }, () => this.#write()));
  }

  async stop(): Promise<readonly string[]> {
    this.#stop.abort(new Error('the test has seen enough'));
    await this.#work;
    this.#member.close();
    return this.acknowledged;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #write(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const key = `${prefix}${this.#count++}`;
      try {
        await this.#member.kv.put({ key: toBytes(key), value: toBytes(key) }, { signal });
        this.acknowledged.push(key);
      } catch {
        if (!signal.aborted) await systemClock.sleep(50);
      }
    }
  }
}

const prefix = 'written/';

/** The keys of a WritingClient that exist. */
export async function writtenKeys(member: MemberClient): Promise<ReadonlySet<string>> {
  const { kvs } = await member.kv.range({ key: toBytes(prefix), rangeEnd: prefixEnd(toBytes(prefix)), keysOnly: true });
  return new Set(kvs.map(({ key }) => Buffer.from(key).toString()));
}
