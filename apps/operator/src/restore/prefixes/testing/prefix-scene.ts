// SPDX-License-Identifier: Apache-2.0
import { boltFile, messages, revisionKey } from '@operator-parts/etcd/testing';
import { seededRandom } from '@operator-parts/ports';
import type { JobContext } from '../../jobs.ts';
import type { ComparedPrefixes, PrefixFacts } from '../../observation.ts';
import { Scratch } from '../../source/scratch.ts';
import { modelSource } from '../../testing/model-source.ts';
import { comparePrefixes, type PrefixWork } from '../prefix-jobs.ts';
import { MemoryEtcd } from './memory-etcd.ts';

/** A cluster in memory, a backup in a real file format, and what a restore of prefixes has recorded of them. */
export class PrefixScene {
  readonly etcd = new MemoryEtcd();
  readonly context: JobContext = { signal: new AbortController().signal, onProgress: () => undefined };
  clusterId = 1n;
  /** Like that of a member of etcd 3.5, which does not report its quota. */
  database: { readonly dbSize: number; readonly dbSizeQuota: number | undefined } = {
    dbSize: 20_000,
    dbSizeQuota: undefined,
  };
  recorded: PrefixFacts['recorded'];
  readonly #backup: Uint8Array;
  readonly #scratch: Scratch;
  #generation = 0;

  static async open(backup: ReadonlyMap<string, string>): Promise<PrefixScene> {
    return new PrefixScene(backup, await Scratch.open(undefined));
  }

  private constructor(backup: ReadonlyMap<string, string>, scratch: Scratch) {
    this.#scratch = scratch;
    const entries = [...backup].map(([key, value], index) => {
      const record = { key: Buffer.from(key), value: Buffer.from(value), version: 1n };
      return [revisionKey(BigInt(index + 2)), messages.keyValue.encode(record)] as const;
    });
    this.#backup = boltFile([{ name: 'key', entries }]);
  }

  work(wanted: readonly string[], facts: Partial<PrefixFacts> = {}): PrefixWork {
    return {
      place: { scratch: this.#scratch, random: seededRandom(1), name: 'r' },
      prefixes: { wanted, isDryRun: false, overwrites: false, recorded: this.recorded, ...facts },
      fetch: async (keep) => {
        const kept = await keep(this.#backup.byteLength);
        await kept?.write(this.#backup);
        await kept?.finish();
        return { ...modelSource, bytes: this.#backup.byteLength };
      },
      mayWrite: () => undefined,
      quotaBytes: 1_000_000,
      withMember: (work) => work({ client: this.etcd, status: { clusterId: this.clusterId, ...this.database } }),
    };
  }

  /** Compares, and records the result unless there is a conflict. */
  async compare(wanted: readonly string[], facts: Partial<PrefixFacts> = {}): Promise<ComparedPrefixes> {
    const found = await comparePrefixes(this.work(wanted, facts), this.context);
    this.#generation += 1;
    if (found.conflict === undefined) this.recorded = { ...found.comparison, generation: this.#generation };
    return found;
  }
}
