// SPDX-License-Identifier: Apache-2.0
import type { ListedKey } from '../snapshot/snapshot-keys.ts';

/** How a key differs between two places. */
export type KeyChange =
  | { readonly change: 'added'; readonly to: ListedKey }
  | { readonly change: 'removed'; readonly from: ListedKey }
  | {
      readonly change: 'changed';
      readonly from: ListedKey;
      readonly to: ListedKey;
      /** What differs; revisions alone are not a difference. */
      readonly differs: readonly ('value' | 'lease')[];
    }
  | { readonly change: 'same'; readonly from: ListedKey; readonly to: ListedKey };

/** Compares two lists of keys, each in key order. Holds only one key of each list in memory. */
export async function* diffKeys(
  from: AsyncIterable<ListedKey>,
  to: AsyncIterable<ListedKey>,
): AsyncGenerator<KeyChange> {
  const [before, after] = [from[Symbol.asyncIterator](), to[Symbol.asyncIterator]()];
  let [one, other] = [await next(before), await next(after)];
  while (one ?? other) {
    const order = orderOf(one, other);
    if (one && order < 0) yield { change: 'removed', from: one };
    else if (other && order > 0) yield { change: 'added', to: other };
    else if (one && other) yield await compared(one, other);
    if (order <= 0) one = await next(before);
    if (order >= 0) other = await next(after);
  }
}

async function next(keys: AsyncIterator<ListedKey>): Promise<ListedKey | undefined> {
  const { done, value } = await keys.next();
  return done ? undefined : value;
}

/** Which key comes first: negative for `one`, positive for `other`, 0 if both are the same key. */
function orderOf(one: ListedKey | undefined, other: ListedKey | undefined): number {
  if (one && other) return Buffer.compare(one.key, other.key);
  return one ? -1 : 1;
}

async function compared(from: ListedKey, to: ListedKey): Promise<KeyChange> {
  const differs = [...((await isSameValue(from, to)) ? [] : ['value' as const]), ...leaseDiffers(from, to)];
  return differs.length === 0 ? { change: 'same', from, to } : { change: 'changed', from, to, differs };
}

function leaseDiffers(from: ListedKey, to: ListedKey): readonly 'lease'[] {
  return from.lease === to.lease ? [] : ['lease'];
}

async function isSameValue(from: ListedKey, to: ListedKey): Promise<boolean> {
  if (from.valueBytes !== to.valueBytes) return false;
  return Buffer.compare(await from.value(), await to.value()) === 0;
}
