// SPDX-License-Identifier: Apache-2.0
import {
  EtcdError,
  type KeyValue,
  type KeyValueStore,
  type ListedKey,
  type RequestOp,
  type TxnRequest,
} from '@operator-parts/etcd';

type Store = ReadonlyMap<string, KeyValue>;

const header = (revision: bigint) => ({ clusterId: 1n, memberId: 1n, revision, raftTerm: 1n });
const nameOf = (key: Uint8Array) => Buffer.from(key).toString('latin1');
const bytesOf = (name: string) => Buffer.from(name, 'latin1');

/** etcd's keys and revisions in memory, as far as a restore of prefixes uses them. Every revision stays readable until it is compacted. */
export class MemoryEtcd {
  readonly #states: Store[] = [new Map()];
  #compacted = 0;
  /** All requested transactions. */
  readonly transactions: TxnRequest[] = [];
  /** Called before each transaction. Tests use it to let other clients write, or to end the process. */
  beforeTransaction: () => void = () => undefined;

  get revision(): bigint {
    return BigInt(this.#states.length);
  }

  get contents(): ReadonlyMap<string, string> {
    return new Map([...this.#now].map(([key, { value }]) => [key, nameOf(value)]));
  }

  at(key: string): KeyValue | undefined {
    return this.#now.get(key);
  }

  put(key: string, value: string, lease = 0n): void {
    this.#apply([{ put: { key: bytesOf(key), value: bytesOf(value), lease } }]);
  }

  delete(key: string): void {
    this.#apply([{ deleteRange: { key: bytesOf(key) } }]);
  }

  compact(): void {
    this.#compacted = this.#states.length;
  }

  readonly kv: Pick<KeyValueStore, 'range' | 'txn'> = {
    range: async ({ key = new Uint8Array(0), rangeEnd, revision = 0n, limit = 0n, countOnly = false }) => {
      const at = Number(revision) || this.#states.length;
      if (at < this.#compacted) throw new EtcdError('Compacted', 'required revision has been compacted');
      const [from, end] = [nameOf(key), rangeEnd === undefined ? undefined : nameOf(rangeEnd)];
      const found = [...(this.#states[at - 1] ?? [])]
        .filter(([name]) => (end === undefined ? name === from : name >= from && name < end))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, kv]) => kv);
      const given = limit > 0n ? found.slice(0, Number(limit)) : found;
      const kvs = countOnly ? [] : given;
      return { header: header(this.revision), kvs, more: given.length < found.length, count: BigInt(found.length) };
    },
    txn: async (request) => {
      this.beforeTransaction();
      this.transactions.push(request);
      const { compare = [], success = [], failure = [] } = request;
      const succeeded = compare.every(({ key = new Uint8Array(0), target, modRevision = 0n, version = 0n }) => {
        const kv = this.#now.get(nameOf(key));
        return target === 'mod' ? (kv?.modRevision ?? 0n) === modRevision : (kv?.version ?? 0n) === version;
      });
      if (succeeded) this.#apply(success);
      const responses = succeeded ? [] : failure.map((operation) => this.#answer(operation));
      return { header: header(this.revision), succeeded, responses };
    },
  };

  get #now(): Store {
    return this.#states.at(-1) ?? new Map();
  }

  #answer({ range }: RequestOp) {
    const kv = this.#now.get(nameOf(range?.key ?? new Uint8Array(0)));
    const kvs = kv ? [{ ...kv, value: new Uint8Array(0) }] : [];
    return {
      range: { header: header(this.revision), kvs, more: false, count: BigInt(kvs.length) },
      put: undefined,
      deleteRange: undefined,
    };
  }

  /** Creates one revision, or none if nothing changes. */
  #apply(operations: readonly RequestOp[]): void {
    const next = new Map(this.#now);
    const revision = this.revision + 1n;
    let isChanged = false;
    for (const { put, deleteRange } of operations) {
      const key = put?.key ?? deleteRange?.key ?? new Uint8Array(0);
      const name = nameOf(key);
      const before = next.get(name);
      if (deleteRange) isChanged = next.delete(name) || isChanged;
      if (!put) continue;
      isChanged = true;
      const { createRevision = revision, version = 0n } = before ?? {};
      const { value = new Uint8Array(0), lease = 0n } = put;
      next.set(name, { key, value, createRevision, modRevision: revision, version: version + 1n, lease });
    }
    if (isChanged) this.#states.push(next);
  }
}

/** The keys of a backup. */
export function backupOf(contents: ReadonlyMap<string, string>, lease = 0n) {
  return {
    async *at({ prefixes = [] }: { readonly prefixes?: readonly Uint8Array[] }): AsyncGenerator<ListedKey> {
      const wanted = prefixes.map(nameOf);
      for (const [name, text] of [...contents].sort(([a], [b]) => (a < b ? -1 : 1))) {
        if (!wanted.some((prefix) => name.startsWith(prefix))) continue;
        const value = bytesOf(text);
        const revisions = { createRevision: 2n, modRevision: 2n, version: 1n, lease };
        yield { key: bytesOf(name), ...revisions, valueBytes: value.byteLength, value: async () => value };
      }
    },
  };
}

export const noSpill = {
  append: () => Promise.reject(new Error('nothing is spilled')),
  read: () => Promise.reject(new Error('nothing is spilled')),
};
