// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, asString, ensureObject, getIn, type JsonObject } from '../json/json.ts';
import type { Core } from '../server/core.ts';
import { updateStored } from '../server/system-writer.ts';
import type { Change, StoredObject } from '../storage/stored-object.ts';
import type { WorkList } from './work-list.ts';

const claims = 'persistentvolumeclaims';
const volumes = 'persistentvolumes';
const claimFinalizer = 'kubernetes.io/pvc-protection';
const volumeFinalizer = 'kubernetes.io/pv-protection';

/** Removes PVCs and volumes that are being deleted as soon as nothing uses them. */
export class StorageProtection {
  readonly #core: Core;
  readonly #work: WorkList<string>;
  readonly #stop: () => void;

  constructor(core: Core, work: (process: (place: string) => void) => WorkList<string>) {
    this.#core = core;
    this.#work = work((place) => this.#process(place));
    this.#stop = core.store.watchAll((change) => this.#onChange(change));
  }

  close(): void {
    this.#stop();
    this.#work.close();
  }

  #onChange({ collection, type, current }: Change): void {
    if ((collection === claims || collection === volumes) && type !== 'DELETED') this.#consider(collection, current);
    if (collection !== 'pods' || !(type === 'DELETED' || isFinished(current.object))) return;
    const namespace = current.key.split('/')[0] ?? '';
    for (const name of claimsOf(current.object)) {
      const claim = this.#core.store.get(claims, `${namespace}/${name}`);
      if (claim) this.#consider(claims, claim);
    }
  }

  #consider(collection: string, { key, object }: StoredObject): void {
    if (getIn(object, 'metadata', 'deletionTimestamp') === undefined) return;
    const place = `${collection} ${key}`;
    this.#work.add(place, place);
  }

  #process(place: string): void {
    const [collection = '', key = ''] = place.split(' ');
    const stored = this.#core.store.get(collection, key);
    const finalizer = collection === claims ? claimFinalizer : volumeFinalizer;
    if (!stored || !asArray(getIn(stored.object, 'metadata', 'finalizers')).includes(finalizer)) return;
    const inUse = collection === claims ? this.#isMounted(key) : getIn(stored.object, 'status', 'phase') === 'Bound';
    if (!inUse) this.#takeOff(collection, stored, finalizer);
  }

  #isMounted(key: string): boolean {
    const [namespace = '', name = ''] = key.split('/');
    return this.#core.store
      .list('pods', `${namespace}/`)
      .some(({ object }) => !isFinished(object) && claimsOf(object).includes(name));
  }

  #takeOff(collection: string, stored: StoredObject, finalizer: string): void {
    const rest = asArray(getIn(stored.object, 'metadata', 'finalizers')).filter((one) => one !== finalizer);
    if (rest.length === 0) {
      this.#core.store.delete(collection, stored);
      return;
    }
    const resource = this.#core.registry.find('', 'v1', collection);
    if (!resource) return;
    const change = (object: JsonObject) => {
      ensureObject(object, 'metadata')['finalizers'] = rest;
      return true;
    };
    updateStored(this.#core, resource, stored.key, change, { manager: 'kube-controller-manager' });
  }
}

function claimsOf(pod: JsonObject): readonly string[] {
  return asObjects(getIn(pod, 'spec', 'volumes')).flatMap((volume) => {
    const name = asString(asObject(volume['persistentVolumeClaim'])?.['claimName']);
    return name === undefined ? [] : [name];
  });
}

function isFinished(pod: JsonObject): boolean {
  const phase = asString(getIn(pod, 'status', 'phase'));
  return phase === 'Succeeded' || phase === 'Failed';
}
