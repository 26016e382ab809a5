// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { isEtcdError, MemberClient, prefixEnd, toBytes } from '@operator-parts/etcd';
import type { Client } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { etcdPods, type Trust, withMember } from './scenes/etcd-view.ts';
import { until, untilTrue } from './until.ts';

/** The results of a client that wrote and read continuously. */
export interface History {
  readonly acknowledged: number;
  /** Requests without an answer: such a write may or may not have taken effect. */
  readonly unknown: number;
  /** The longest time between two acknowledged writes, in milliseconds. */
  readonly longestGap: number;
  /** Violations; empty if there are none. */
  readonly violations: readonly string[];
}

/** Writes a new key and reads, alternately, until it is stopped, which resolves with its history. */
interface RecordingClient {
  /** The number of acknowledged writes so far. */
  acknowledged(): number;
  stop(): Promise<History>;
}

export interface RecordingOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly labelSelector: string;
  /** For members that require certificates. */
  readonly trust?: Trust | undefined;
  /** @default 20 */
  readonly pauseMilliseconds?: number;
}

/** The number of writes before and after the action: a history without writes proves nothing. */
export interface Frame {
  /** 0 for a cluster that does not exist yet. @default 20 */
  readonly before?: number;
  /** @default 10 */
  readonly after?: number;
}

const prefix = 'history/';

/** Runs an action while a client writes and reads, and returns the client's history. */
export async function recordWhile(
  options: RecordingOptions,
  work: () => Promise<void>,
  { before = 20, after = 10 }: Frame = {},
): Promise<History> {
  const client = startRecording(options);
  const writes = async (count: number) => {
    const enough = client.acknowledged() + count;
    await untilTrue(`${count} writes`, async () => client.acknowledged() >= enough);
  };
  let history: History | undefined;
  try {
    await writes(before);
    await work();
    await writes(after);
  } finally {
    history = await client.stop();
  }
  process.stdout.write(`    ${options.labelSelector}: ${JSON.stringify(history)}\n`);
  return history;
}

/** Starts a client that uses one member at a time and switches to another one if that does not answer. */
function startRecording(options: RecordingOptions): RecordingClient {
  const stopping = new AbortController();
  const recording = new Recording(options);
  const work = recording.run(stopping.signal);
  return {
    acknowledged: () => recording.acknowledged,
    stop: async () => {
      stopping.abort();
      await work;
      return recording.judge();
    },
  };
}

class Recording {
  readonly #options: RecordingOptions;
  readonly #acknowledged: number[] = [];
  readonly #violations: string[] = [];
  #unknown = 0;
  #highestRevision = 0n;
  #lastWrite = performance.now();
  #longestGap = 0;
  #member: { readonly name: string; readonly client: MemberClient } | undefined;

  constructor(options: RecordingOptions) {
    this.#options = options;
  }

  get acknowledged(): number {
    return this.#acknowledged.length;
  }

  async run(signal: AbortSignal): Promise<void> {
    for (let number = 0; !signal.aborted; number++) {
      try {
        await this.#writeAndRead(number);
      } catch (error) {
        this.#leave();
        if (isEtcdError(error) && error.outcomeUnknown) this.#unknown++;
      }
      await sleep(this.#options.pauseMilliseconds ?? 20);
    }
    this.#leave();
  }

  async #writeAndRead(number: number): Promise<void> {
    const { client } = this.#member ?? (await this.#choose());
    await client.kv.put({ key: toBytes(`${prefix}${number}`), value: toBytes(String(number)) });
    this.#acknowledged.push(number);
    const now = performance.now();
    this.#longestGap = Math.max(this.#longestGap, now - this.#lastWrite);
    this.#lastWrite = now;
    const { header, kvs } = await client.kv.range({ key: toBytes(`${prefix}${number}`) });
    if (kvs[0] === undefined) this.#violations.push(`write ${number} was acknowledged and then could not be read`);
    if (header.revision < this.#highestRevision) {
      this.#violations.push(`a read at revision ${header.revision} came after one at ${this.#highestRevision}`);
    }
    if (header.revision > this.#highestRevision) this.#highestRevision = header.revision;
  }

  /** A different member than the last one, if there is one. */
  async #choose() {
    const { client, namespace, labelSelector } = this.#options;
    const found = (await etcdPods(client, namespace, labelSelector)).filter(
      ({ metadata, status }) => status?.podIP && metadata?.deletionTimestamp === undefined,
    );
    const pod = found[Math.floor(Math.random() * found.length)];
    if (!pod) {
      await sleep(200);
      throw new Error('there is no member');
    }
    const target = { host: pod.status?.podIP ?? '', port: 2379 };
    const { trust } = this.#options;
    const secured = trust && { tls: () => trust.tls, serverName: trust.serverName };
    this.#member = {
      name: pod.metadata?.name ?? '',
      client: new MemberClient({ target, clock: systemClock, timeoutMs: 1500, connectTimeoutMs: 700, ...secured }),
    };
    return this.#member;
  }

  #leave(): void {
    this.#member?.client.close();
    this.#member = undefined;
  }

  async judge(): Promise<History> {
    // On a busy machine members may not answer for a while; their final answer counts.
    const stored = await until('a member says what is stored', () => this.#stored());
    const lost = this.#acknowledged.filter((number) => stored.get(`${prefix}${number}`) !== String(number));
    const violations = [...this.#violations];
    if (lost.length > 0) violations.push(`${lost.length} acknowledged writes are lost, the first is ${lost[0]}`);
    return {
      acknowledged: this.#acknowledged.length,
      unknown: this.#unknown,
      longestGap: Math.round(this.#longestGap),
      violations,
    };
  }

  async #stored(): Promise<ReadonlyMap<string, string>> {
    const { client, namespace, labelSelector, trust } = this.#options;
    let last: unknown;
    for (const { status } of await etcdPods(client, namespace, labelSelector)) {
      try {
        const range = { key: toBytes(prefix), rangeEnd: prefixEnd(toBytes(prefix)) };
        const { kvs } = await withMember(status?.podIP ?? '', ({ kv }) => kv.range(range), trust);
        return new Map(kvs.map(({ key, value }) => [text(key), text(value)]));
      } catch (error) {
        last = error;
      }
    }
    throw new Error('no member could be asked for what was written', { cause: last });
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
