// SPDX-License-Identifier: Apache-2.0
import { asObjects, asString, getIn, type JsonObject } from '../json/json.ts';
import type { Change } from '../storage/stored-object.ts';

/** Where an object is stored. */
export interface Place {
  readonly collection: string;
  readonly key: string;
}

/** The dependents of objects, by the UIDs in `ownerReferences`. Updated with the changes of the store. */
export class OwnerGraph {
  /** Dependents by the uid of their owner. */
  readonly #dependents = new Map<string, Map<string, Place>>();

  /** Applies a change. */
  apply({ type, collection, current, previous }: Change): void {
    const before = previous ? ownerUids(previous.object) : [];
    const now = type === 'DELETED' ? [] : ownerUids(current.object);
    if (before.length === 0 && now.length === 0) return;
    const uid = uidOf(current.object);
    for (const owner of before) if (!now.includes(owner)) this.#remove(owner, uid);
    for (const owner of now) this.#add(owner, uid, { collection, key: current.key });
  }

  /** The objects that name this UID as an owner. */
  dependentsOf(uid: string): readonly Place[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])];
  }

  #add(owner: string, uid: string, place: Place): void {
    const present = this.#dependents.get(owner) ?? new Map<string, Place>();
    present.set(uid, place);
    this.#dependents.set(owner, present);
  }

  #remove(owner: string, uid: string): void {
    const present = this.#dependents.get(owner);
    present?.delete(uid);
    if (present?.size === 0) this.#dependents.delete(owner);
  }
}

export function uidOf(object: JsonObject): string {
  return asString(getIn(object, 'metadata', 'uid')) ?? '';
}

/** The owner references of an object. */
export function ownersOf(object: JsonObject): readonly JsonObject[] {
  return asObjects(getIn(object, 'metadata', 'ownerReferences'));
}

function ownerUids(object: JsonObject): readonly string[] {
  return ownersOf(object).map((owner) => String(owner['uid']));
}
