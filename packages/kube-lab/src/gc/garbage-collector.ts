// SPDX-License-Identifier: Apache-2.0
import { removeObject } from '../handlers/delete.ts';
import type { DeleteOptions } from '../handlers/delete-options.ts';
import { asArray, ensureObject, getIn, type JsonObject } from '../json/json.ts';
import { parseApiVersion } from '../registry/api-version.ts';
import { type ServedResource, storageKey } from '../registry/served-resource.ts';
import type { Core } from '../server/core.ts';
import { updateStored } from '../server/system-writer.ts';
import type { Change, StoredObject } from '../storage/stored-object.ts';
import { OwnerGraph, ownersOf, type Place, uidOf } from './owner-graph.ts';
import type { WorkList } from './work-list.ts';

const orphan = 'orphan';
const foreground = 'foregroundDeletion';

/**
 * The state of an owner that a reference names. `waiting`: the owner is being deleted and waits for its dependents.
 * `unknown`: its kind is not served.
 */
type OwnerState = 'alive' | 'waiting' | 'absent' | 'unknown';

/**
 * Deletes objects whose owners are gone, and applies the deletion policy of an owner to its dependents: background,
 * foreground (the owner waits for dependents that block it), or orphan.
 */
export class GarbageCollector {
  readonly #core: Core;
  readonly #graph = new OwnerGraph();
  readonly #work: WorkList<Place>;
  readonly #stop: () => void;

  constructor(core: Core, work: (process: (place: Place) => void) => WorkList<Place>) {
    this.#core = core;
    this.#work = work((place) => this.#process(place));
    this.#stop = core.store.watchAll((change) => this.#onChange(change));
  }

  close(): void {
    this.#stop();
    this.#work.close();
  }

  #onChange(change: Change): void {
    this.#graph.apply(change);
    const { type, current, collection } = change;
    const place = { collection, key: current.key };
    if (type === 'DELETED') {
      for (const dependent of this.#graph.dependentsOf(uidOf(current.object))) this.#add(dependent);
      // An owner in foreground deletion may have waited for this object.
      for (const owner of ownersOf(current.object)) this.#addOwner(owner, current.object);
      return;
    }
    if (isDeleting(current.object) && hasWork(current.object)) this.#add(place);
    else if (ownersOf(current.object).length > 0 && type === 'ADDED') this.#add(place);
    if (change.previous && ownersOf(change.previous.object).length > ownersOf(current.object).length) {
      for (const owner of ownersOf(change.previous.object)) this.#addOwner(owner, current.object);
    }
  }

  #add(place: Place): void {
    this.#work.add(`${place.collection} ${place.key}`, place);
  }

  #addOwner(reference: JsonObject, dependent: JsonObject): void {
    const found = this.#find(reference, dependent);
    if (found && isDeleting(found.stored.object))
      this.#add({ collection: found.resource.collection, key: found.stored.key });
  }

  #process({ collection, key }: Place): void {
    const stored = this.#core.store.get(collection, key);
    const resource = stored && this.#resourceOf(stored.object);
    if (!stored || !resource) return;
    const finalizers = asArray(getIn(stored.object, 'metadata', 'finalizers'));
    if (isDeleting(stored.object)) {
      if (finalizers.includes(orphan)) this.#orphanDependents(stored, resource);
      else if (finalizers.includes(foreground)) this.#deleteDependents(stored, resource);
      return;
    }
    this.#deleteIfUnowned(stored, resource);
  }

  #deleteIfUnowned(stored: StoredObject, resource: ServedResource): void {
    const owners = ownersOf(stored.object);
    if (owners.length === 0) return;
    const states = owners.map((owner) => this.#stateOf(owner, stored.object));
    if (states.includes('unknown')) return;
    if (states.includes('alive')) {
      const kept = owners.filter((_owner, index) => states[index] === 'alive');
      if (kept.length < owners.length) this.#setOwners(stored, resource, kept);
      return;
    }
    const hasDependents = this.#graph.dependentsOf(uidOf(stored.object)).length > 0;
    const isWaitedFor = states.includes('waiting');
    this.#remove(stored, resource, isWaitedFor && hasDependents ? 'Foreground' : 'Background');
  }

  #orphanDependents(owner: StoredObject, resource: ServedResource): void {
    const uid = uidOf(owner.object);
    for (const place of this.#graph.dependentsOf(uid)) {
      const dependent = this.#core.store.get(place.collection, place.key);
      const kind = dependent && this.#resourceOf(dependent.object);
      if (!dependent || !kind) continue;
      const kept = ownersOf(dependent.object).filter((one) => one['uid'] !== uid);
      this.#setOwners(dependent, kind, kept);
    }
    this.#takeOff(owner, resource, orphan);
  }

  #deleteDependents(owner: StoredObject, resource: ServedResource): void {
    const uid = uidOf(owner.object);
    let blocked = false;
    for (const place of this.#graph.dependentsOf(uid)) {
      const dependent = this.#core.store.get(place.collection, place.key);
      if (!dependent) continue;
      const blocks = ownersOf(dependent.object).some((one) => one['uid'] === uid && one['blockOwnerDeletion'] === true);
      if (!isDeleting(dependent.object)) this.#process(place);
      if (blocks && this.#core.store.get(place.collection, place.key)) blocked = true;
    }
    if (!blocked) this.#takeOff(owner, resource, foreground);
  }

  #remove(stored: StoredObject, resource: ServedResource, propagation: DeleteOptions['propagation']): void {
    const options = {
      gracePeriodSeconds: undefined,
      propagation,
      uid: undefined,
      resourceVersion: undefined,
      dryRun: false,
    };
    removeObject({ core: this.#core, resource }, stored.key, options);
  }

  #setOwners(stored: StoredObject, resource: ServedResource, owners: readonly JsonObject[]): void {
    this.#update(stored, resource, (metadata) => {
      if (owners.length > 0) metadata['ownerReferences'] = [...owners];
      else delete metadata['ownerReferences'];
    });
  }

  /** Removes a finalizer. Deletes the object if that was its last finalizer. */
  #takeOff(stored: StoredObject, resource: ServedResource, finalizer: string): void {
    const rest = asArray(getIn(stored.object, 'metadata', 'finalizers')).filter((one) => one !== finalizer);
    const current = this.#core.store.get(resource.collection, stored.key);
    if (!current) return;
    if (rest.length === 0 && !getIn(current.object, 'metadata', 'deletionGracePeriodSeconds')) {
      this.#core.store.delete(resource.collection, current);
      return;
    }
    this.#update(current, resource, (metadata) => {
      if (rest.length > 0) metadata['finalizers'] = rest;
      else delete metadata['finalizers'];
    });
  }

  #update(stored: StoredObject, resource: ServedResource, change: (metadata: JsonObject) => void): void {
    const apply = (object: JsonObject) => {
      change(ensureObject(object, 'metadata'));
      return true;
    };
    updateStored(this.#core, resource, stored.key, apply, { manager: 'kube-controller-manager' });
  }

  #stateOf(reference: JsonObject, dependent: JsonObject): OwnerState {
    const resource = this.#ownerResource(reference);
    if (!resource) return 'unknown';
    const found = this.#find(reference, dependent);
    if (!found) return 'absent';
    const finalizers = asArray(getIn(found.stored.object, 'metadata', 'finalizers'));
    return isDeleting(found.stored.object) && finalizers.includes(foreground) ? 'waiting' : 'alive';
  }

  #find(
    reference: JsonObject,
    dependent: JsonObject,
  ): { readonly stored: StoredObject; readonly resource: ServedResource } | undefined {
    const resource = this.#ownerResource(reference);
    if (!resource) return undefined;
    const namespace = String(getIn(dependent, 'metadata', 'namespace') ?? '');
    const stored = this.#core.store.get(
      resource.collection,
      storageKey(resource, namespace, String(reference['name'])),
    );
    return stored && uidOf(stored.object) === reference['uid'] ? { stored, resource } : undefined;
  }

  #ownerResource(reference: JsonObject): ServedResource | undefined {
    const { group, version } = parseApiVersion(String(reference['apiVersion']));
    return this.#core.registry.findKind(group, version, String(reference['kind']));
  }

  #resourceOf(object: JsonObject): ServedResource | undefined {
    return this.#ownerResource({ apiVersion: object['apiVersion'] ?? '', kind: object['kind'] ?? '' });
  }
}

function isDeleting(object: JsonObject): boolean {
  return getIn(object, 'metadata', 'deletionTimestamp') !== undefined;
}

function hasWork(object: JsonObject): boolean {
  const finalizers = asArray(getIn(object, 'metadata', 'finalizers'));
  return finalizers.includes(orphan) || finalizers.includes(foreground);
}
