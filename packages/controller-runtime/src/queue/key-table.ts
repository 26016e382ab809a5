// SPDX-License-Identifier: Apache-2.0
import { KeyIndex, none } from './key-index.ts';
import type { Lane } from './priority.ts';
import { Tenant } from './tenant.ts';

const smallest = 64;
const readyBit = 1;
const processingBit = 2;
const laneShift = 2;
const laneBits = 3 << laneShift;
const stuckBit = 16;

/**
 * What the queue knows about its keys, in columns. A key is looked up once; from then on it is a small number, its
 * slot. Columns cost about 30 bytes a key and no garbage collection; an object per key would be copied twice by the
 * garbage collector during a burst.
 *
 * A slot belongs to its key until `compact`. A key is idle if it is neither ready nor being processed nor delayed. A
 * key that is ready is never delayed at the same time.
 */
export class KeyTable<K> {
  readonly #index = new KeyIndex<K>();
  #state = new Uint8Array(smallest);
  #since = new Float64Array(smallest);
  /** Neighbours in the lane, for `ReadyLanes`. */
  next = new Int32Array(smallest);
  previous = new Int32Array(smallest);
  /** Place in the heap, or `none`, for `TimerHeap`. */
  place = new Int32Array(smallest);
  readonly #tenantOf: ((key: K) => string) | undefined;
  readonly #onlyTenant = new Tenant('');
  /** The tenant of each slot; empty if all keys have the same tenant. */
  #tenants: Tenant[] = [];
  #byName = new Map<string, Tenant>();

  /** @param tenantOf the tenant of a key. @default all keys have the same tenant */
  constructor(tenantOf?: (key: K) => string) {
    this.#tenantOf = tenantOf;
  }

  /** How many keys there are, including idle ones. Every number below this is a slot. */
  get size(): number {
    return this.#index.size;
  }

  /** The slot of a key, or `none`. */
  find(key: K): number {
    return this.#index.find(key);
  }

  /** The slot of a key. A new key is idle. */
  slotOf(key: K): number {
    const known = this.#index.size;
    const slot = this.#index.numberOf(key);
    if (slot < known) return slot;
    if (slot === this.#state.length) this.#resize(2 * slot);
    this.#state[slot] = 0;
    this.place[slot] = none;
    if (this.#tenantOf) this.#tenants[slot] = this.#tenantNamed(this.#tenantOf(key));
    return slot;
  }

  tenantAt(slot: number): Tenant {
    return this.#tenants[slot] ?? this.#onlyTenant;
  }

  keyAt(slot: number): K {
    return this.#index.keyAt(slot);
  }

  /** True if the key is wanted now: it waits in its lane or, if it is being processed, will wait there afterwards. */
  isReady(slot: number): boolean {
    return (this.#stateOf(slot) & readyBit) !== 0;
  }

  setReady(slot: number, ready: boolean): void {
    const state = this.#stateOf(slot);
    this.#state[slot] = ready ? state | readyBit : state & ~readyBit;
  }

  isProcessing(slot: number): boolean {
    return (this.#stateOf(slot) & processingBit) !== 0;
  }

  setProcessing(slot: number, processing: boolean): void {
    const state = this.#stateOf(slot);
    this.#state[slot] = processing ? state | processingBit : state & ~processingBit;
  }

  /** True if the key is being processed, but no longer counts towards the concurrency limit. */
  isStuck(slot: number): boolean {
    return (this.#stateOf(slot) & stuckBit) !== 0;
  }

  setStuck(slot: number, stuck: boolean): void {
    const state = this.#stateOf(slot);
    this.#state[slot] = stuck ? state | stuckBit : state & ~stuckBit;
  }

  laneAt(slot: number): Lane {
    return ((this.#stateOf(slot) & laneBits) >> laneShift) as Lane;
  }

  setLane(slot: number, lane: Lane): void {
    this.#state[slot] = (this.#stateOf(slot) & ~laneBits) | (lane << laneShift);
  }

  isDelayed(slot: number): boolean {
    return (this.place[slot] ?? none) >= 0;
  }

  /**
   * Monotonic time at which the key entered its lane or, while it is being processed, at which the processing began.
   */
  since(slot: number): number {
    return this.#since[slot] ?? 0;
  }

  setSince(slot: number, since: number): void {
    this.#since[slot] = since;
  }

  /**
   * Removes the idle keys and frees their memory. All other keys get new slots without gaps. Returns the new slot of
   * each old slot, for callers that hold slots; neighbours in lanes are renumbered already.
   */
  compact(): Int32Array {
    const renumbered = new Int32Array(this.size).fill(none);
    let kept = 0;
    for (let slot = 0; slot < renumbered.length; slot++) {
      if ((this.#stateOf(slot) & (readyBit | processingBit)) === 0 && !this.isDelayed(slot)) continue;
      renumbered[slot] = kept;
      this.#move(slot, kept);
      kept++;
    }
    for (let slot = 0; slot < kept; slot++) {
      this.next[slot] = renumbered[this.next[slot] ?? none] ?? none;
      this.previous[slot] = renumbered[this.previous[slot] ?? none] ?? none;
    }
    this.#index.keep(renumbered);
    this.#resize(Math.max(smallest, 2 * kept));
    this.#keepTenants(kept);
    return renumbered;
  }

  #move(from: number, to: number): void {
    this.#state[to] = this.#stateOf(from);
    this.#since[to] = this.since(from);
    this.next[to] = this.next[from] ?? none;
    this.previous[to] = this.previous[from] ?? none;
    this.place[to] = this.place[from] ?? none;
    if (this.#tenantOf) this.#tenants[to] = this.tenantAt(from);
  }

  #tenantNamed(name: string): Tenant {
    const known = this.#byName.get(name);
    if (known) return known;
    const tenant = new Tenant(name);
    this.#byName.set(name, tenant);
    return tenant;
  }

  /** Removes tenants without keys. */
  #keepTenants(kept: number): void {
    if (!this.#tenantOf) return;
    this.#tenants = this.#tenants.slice(0, kept);
    this.#byName = new Map(this.#tenants.map((tenant) => [tenant.name, tenant]));
  }

  #stateOf(slot: number): number {
    return this.#state[slot] ?? 0;
  }

  #resize(capacity: number): void {
    const size = Math.min(capacity, this.size);
    this.#state = resized(this.#state, new Uint8Array(capacity), size);
    this.#since = resized(this.#since, new Float64Array(capacity), size);
    this.next = resized(this.next, new Int32Array(capacity), size);
    this.previous = resized(this.previous, new Int32Array(capacity), size);
    this.place = resized(this.place, new Int32Array(capacity), size);
  }
}

function resized<T extends Uint8Array | Int32Array | Float64Array>(from: T, to: T, size: number): T {
  to.set(from.subarray(0, size));
  return to;
}
