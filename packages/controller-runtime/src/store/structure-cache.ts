// SPDX-License-Identifier: Apache-2.0

type Node = Record<string, unknown> | unknown[];

/** Slots, a power of two. */
const size = 16_384;

/** A round is at least this many objects long. */
const shortestRound = 256;

/**
 * Shares equal parts of cached objects. Pods of one workload, members of one cluster and successive states of one
 * object differ little; their equal parts (probes, tolerations, environment, conditions ...) are stored once instead of
 * thousands of times, which about halves the memory of a cache of similar pods.
 *
 * Assumes that nobody modifies the parts, which is the rule for all cached objects. Its memory is bounded: each slot
 * remembers only its latest part. A part that is not found is merely stored twice. A part that was not seen for a whole
 * round is forgotten; a round is twice as many objects as there are. Otherwise every slot would in the end hold a part
 * of a state that is long gone (times, revisions).
 */
export class StructureCache {
  readonly #slots: (Node | undefined)[] = new Array(size);
  /** 1 where the part was seen in this round. */
  readonly #seen = new Uint8Array(size);
  readonly #live: () => number;
  #inRound = 0;

  /** @param live how many objects there are now */
  constructor(live: () => number = () => 0) {
    this.#live = live;
  }

  /**
   * `value` with parts replaced by equal parts that were seen before. Only children are replaced, not `value` itself.
   */
  share<T extends object>(value: T): T {
    this.#shareChildren(value as unknown as Node);
    if (++this.#inRound >= Math.max(shortestRound, 2 * this.#live())) this.#endRound();
    return value;
  }

  #endRound(): void {
    for (let slot = 0; slot < size; slot++) if (this.#seen[slot] === 0) this.#slots[slot] = undefined;
    this.#seen.fill(0);
    this.#inRound = 0;
  }

  /**
   * Shares the parts of a node from the leaves up, so that the children of two nodes can be compared by identity.
   * Returns a hash of the node.
   */
  #shareChildren(node: Node): number {
    // Frozen objects belong to other code; they are used unchanged.
    const isOurs = !Object.isFrozen(node);
    if (Array.isArray(node)) {
      let hash = node.length + 1;
      for (let index = 0; index < node.length; index++) {
        const child = node[index];
        hash = isNode(child) ? this.#shareChild(node, index, child, hash, isOurs) : mix(hash, leafHash(child));
      }
      return hash;
    }
    let hash = 7;
    for (const key in node) {
      const child = node[key];
      hash = mix(hash, textHash(key));
      hash = isNode(child) ? this.#shareChild(node, key, child, hash, isOurs) : mix(hash, leafHash(child));
    }
    return hash;
  }

  #shareChild(parent: Node, key: string | number, child: Node, hash: number, mayReplace: boolean): number {
    const childHash = this.#shareChildren(child);
    const slot = childHash & (size - 1);
    const known = this.#slots[slot];
    this.#seen[slot] = 1;
    if (known !== undefined && sameNode(known, child)) {
      if (mayReplace) (parent as Record<string | number, unknown>)[key] = known;
    } else {
      this.#slots[slot] = child;
    }
    return mix(hash, childHash);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

/** Equal, with children compared by identity. The order of keys counts: objects of one kind have the same order. */
function sameNode(one: Node, other: Node): boolean {
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false;
    return true;
  }
  if (Array.isArray(other)) return false;
  let count = 0;
  for (const key in one) {
    if (one[key] !== other[key]) return false;
    count++;
  }
  for (const _ in other) count--;
  return count === 0;
}

function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193) ^ (hash >>> 15);
}

function leafHash(value: unknown): number {
  if (typeof value === 'string') return textHash(value);
  if (typeof value === 'number') return value | 0;
  return value === true ? 1 : value === false ? 2 : 3;
}

/** A few characters are enough: values with the same hash are compared before they are shared. */
function textHash(text: string): number {
  const { length } = text;
  if (length === 0) return 5;
  const ends = (text.charCodeAt(0) << 16) ^ text.charCodeAt(length - 1);
  return (
    Math.imul(ends ^ (text.charCodeAt(length >> 1) << 8) ^ (text.charCodeAt((length * 3) >> 2) << 4), 0x9e3779b1) ^
    length
  );
}
