// SPDX-License-Identifier: Apache-2.0
import { int64 } from '../../client/wire/field.ts';
import { message } from '../../client/wire/message.ts';
import type { LeafItem } from './new-pages.ts';

/** A granted lease. */
export interface GrantedLease {
  readonly id: bigint;
  /** Granted seconds. */
  readonly ttl: bigint;
}

const storedLease = message({ id: int64(1), ttl: int64(2) });

/** The entries of etcd's `lease` bucket with these leases added. Existing entries are unchanged. */
export async function* withLeases(
  present: AsyncIterable<LeafItem> | Iterable<LeafItem>,
  added: readonly GrantedLease[],
): AsyncGenerator<LeafItem> {
  const waiting = added.map(leaseItem).toSorted((a, b) => Buffer.compare(a.key, b.key));
  let next = 0;
  for await (const item of present) {
    for (; next < waiting.length; next++) {
      const one = waiting[next];
      const order = one ? Buffer.compare(one.key, item.key) : 0;
      if (one && order < 0) yield one;
      if (order > 0) break;
    }
    yield item;
  }
  yield* waiting.slice(next);
}

function leaseItem({ id, ttl }: GrantedLease): LeafItem {
  const key = Buffer.alloc(8);
  key.writeBigInt64BE(id);
  return { key, value: storedLease.encode({ id, ttl }) };
}
