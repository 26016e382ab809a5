// SPDX-License-Identifier: Apache-2.0
import type { MemberClient } from '@operator-parts/etcd';
import { systemClock } from '@operator-parts/ports';
import type { Clusters } from './clusters.ts';
import { KeyHistory } from './key-history.ts';

const key = Buffer.from('steady');
const digits = 9;
const textOf = (value: number) => Buffer.from(String(value).padStart(digits, '0'));

/**
 * A client that writes and reads through the Service all the time. Each cluster ID has a history of its own: a cluster that was restored
 * or made again is another one. A write takes effect only on top of smaller ones, so that one whose answer was lost cannot come later.
 */
export class SteadyClient {
  readonly #clusters: Pick<Clusters, 'member'>;
  readonly #pause: number;
  readonly #histories = new Map<bigint, KeyHistory>();
  readonly #running: Promise<void>[];
  #isStopped = false;
  #value = 0;

  /** @param pause milliseconds between two writes, and between two reads */
  constructor(clusters: Pick<Clusters, 'member'>, pause = 50) {
    this.#clusters = clusters;
    this.#pause = pause;
    this.#running = [this.#repeat((member) => this.#write(member)), this.#repeat((member) => this.#read(member))];
  }

  /** Ends it, and reads once more. Resolves with what was wrong and with how many writes were acknowledged. */
  async stop(): Promise<{ readonly problems: readonly string[]; readonly acknowledged: number }> {
    this.#isStopped = true;
    await Promise.all(this.#running);
    using member = this.#clusters.member();
    await this.#read(member);
    const histories = [...this.#histories.values()];
    return {
      problems: histories.flatMap(({ problems }) => problems),
      acknowledged: histories.reduce((sum, { acknowledged }) => sum + (acknowledged > 0 ? 1 : 0), 0),
    };
  }

  async #repeat(ask: (member: MemberClient) => Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      using member = this.#clusters.member();
      try {
        while (!this.#isStopped) {
          await ask(member);
          await systemClock.sleep(this.#pause);
        }
      } catch {
        // It asks whoever the Service leads to next.
        await systemClock.sleep(Math.max(100, this.#pause));
      }
    }
  }

  async #write(member: MemberClient): Promise<void> {
    const value = ++this.#value;
    // Which cluster it reaches is known with the answer only: to all of them it was offered.
    const { header, kvs } = await member.kv.range({ key });
    const history = this.#historyOf(header?.clusterId);
    for (const one of this.#histories.values()) one.attempts(value);
    const put = { put: { key, value: textOf(value) } };
    const isNew = kvs.length === 0;
    const compare = isNew
      ? ({ key, target: 'version', result: 'equal', version: 0n } as const)
      : ({ key, target: 'value', result: 'less', value: textOf(value) } as const);
    const answer = await member.kv.txn({ compare: [compare], success: [put] });
    if (answer.succeeded) history.acknowledges(value);
  }

  async #read(member: MemberClient): Promise<void> {
    const marks = new Map([...this.#histories].map(([id, history]) => [id, history.mark()]));
    const { header, kvs } = await member.kv.range({ key });
    const history = this.#historyOf(header?.clusterId);
    const mark = marks.get(header?.clusterId ?? 0n);
    const [found] = kvs;
    if (mark) history.reads(mark, found && Number(Buffer.from(found.value).toString()));
  }

  #historyOf(clusterId = 0n): KeyHistory {
    const known = this.#histories.get(clusterId);
    if (known) return known;
    const history = new KeyHistory();
    history.attempts(this.#value);
    this.#histories.set(clusterId, history);
    return history;
  }
}
