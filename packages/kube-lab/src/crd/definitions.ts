// SPDX-License-Identifier: Apache-2.0
import { removeObject } from '../handlers/delete.ts';
import { asArray, asObject, asObjects, equalJson, getIn, type JsonObject } from '../json/json.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Core } from '../server/core.ts';
import { updateStored } from '../server/system-writer.ts';
import type { Change } from '../storage/stored-object.ts';
import { setCondition } from './conditions.ts';
import type { Conversions } from './conversion.ts';
import { customResources } from './custom-resource.ts';
import { openApiOf } from './schema/open-api.ts';

const collection = 'customresourcedefinitions.apiextensions.k8s.io';

/** The finalizer that is added when a definition is deleted and removed when its objects are gone. */
const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

/**
 * Serves the kinds of CustomResourceDefinitions: accepts their names, reports that in their status, adds and removes
 * their resources, and deletes the objects of a deleted definition. All of this happens before the write that caused it
 * returns.
 */
export class Definitions {
  readonly #core: Core;
  readonly #resource: ServedResource;
  readonly #served = new Map<string, readonly ServedResource[]>();
  readonly #emptying = new Map<string, () => void>();
  readonly #conversions = new Map<string, Conversions>();
  readonly #stop: () => void;

  constructor(core: Core, resource: ServedResource) {
    this.#core = core;
    this.#resource = resource;
    this.#stop = core.store.watch(collection, core.store.revision, (change) => this.#onChange(change));
  }

  close(): void {
    this.#stop();
    for (const stop of this.#emptying.values()) stop();
  }

  #onChange({ type, current }: Change): void {
    const { key, object } = current;
    if (type === 'DELETED') {
      this.#emptying.get(key)?.();
      this.#emptying.delete(key);
      this.#serve(key, []);
      this.#conversions.delete(key);
      return;
    }
    this.#accept(key, object);
    const present = this.#core.store.get(collection, key)?.object;
    if (!present) return;
    if (isTrue(present, 'Established')) this.#serve(key, customResources(present, this.#conversionsOf(key)));
    if (getIn(present, 'metadata', 'deletionTimestamp')) this.#empty(key, present);
  }

  #conversionsOf(key: string): Conversions {
    const known = this.#conversions.get(key) ?? new Map();
    this.#conversions.set(key, known);
    return known;
  }

  #serve(key: string, resources: readonly ServedResource[]): void {
    const { registry, customDocuments } = this.#core;
    const before = this.#served.get(key) ?? [];
    const groups = new Set([...before, ...resources].map(({ group, version }) => `${group}/${version}`));
    for (const old of before) {
      if (!resources.some((one) => one.version === old.version && one.plural === old.plural)) registry.remove(old);
    }
    for (const resource of resources) registry.add(resource);
    if (resources.length > 0) this.#served.set(key, resources);
    else this.#served.delete(key);
    const all = [...this.#served.values()].flat();
    for (const groupVersion of groups) {
      const own = all.filter(({ group, version }) => `${group}/${version}` === groupVersion);
      if (own.length > 0) customDocuments.set(`apis/${groupVersion}`, openApiOf(own));
      else customDocuments.delete(`apis/${groupVersion}`);
    }
  }

  #accept(key: string, object: JsonObject): void {
    const conflict = this.#conflict(key, object);
    updateStored(
      this.#core,
      this.#resource,
      key,
      (definition) => {
        const status = asObject(definition['status']) ?? {};
        definition['status'] = status;
        if (!conflict) status['acceptedNames'] = asObject(getIn(definition, 'spec', 'names')) ?? {};
        const named = conflict
          ? setCondition(this.#core, status, 'NamesAccepted', 'False', conflict.reason, conflict.message)
          : setCondition(this.#core, status, 'NamesAccepted', 'True', 'NoConflicts', 'no conflicts found');
        const established = conflict
          ? isTrue(definition, 'Established') ||
            setCondition(this.#core, status, 'Established', 'False', 'NotAccepted', 'not all names are accepted')
          : setCondition(
              this.#core,
              status,
              'Established',
              'True',
              'InitialNamesAccepted',
              'the initial names have been accepted',
            );
        const approved = this.#approve(definition, status);
        return (
          named ||
          approved ||
          established === true ||
          !equalJson(getIn(object, 'status', 'acceptedNames'), status['acceptedNames'])
        );
      },
      { subresource: 'status' },
    );
  }

  /** Sets the condition on API approval, which groups of the Kubernetes community need. */
  #approve(definition: JsonObject, status: JsonObject): boolean {
    const group = String(getIn(definition, 'spec', 'group'));
    if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return false;
    const value = String(getIn(definition, 'metadata', 'annotations', 'api-approved.kubernetes.io') ?? '');
    const type = 'KubernetesAPIApprovalPolicyConformant';
    return URL.canParse(value)
      ? setCondition(this.#core, status, type, 'True', 'ApprovedAnnotation', `approved in ${value}`)
      : setCondition(
          this.#core,
          status,
          type,
          'False',
          'UnapprovedAnnotation',
          `not approved: ${JSON.stringify(value)}`,
        );
  }

  /** The conflict with a definition of the same group that has one of the names already; undefined if there is none. */
  #conflict(key: string, object: JsonObject): { readonly reason: string; readonly message: string } | undefined {
    const group = getIn(object, 'spec', 'group');
    const names = asObject(getIn(object, 'spec', 'names')) ?? {};
    const others = this.#core.store
      .list(collection)
      .filter((stored) => stored.key !== key && getIn(stored.object, 'spec', 'group') === group)
      .map((stored) => asObject(getIn(stored.object, 'status', 'acceptedNames')) ?? {});
    const taken = (other: JsonObject) => [other['plural'], other['singular'], ...asArray(other['shortNames'])];
    const kinds = (other: JsonObject) => [other['kind'], other['listKind']];
    for (const [field, reason] of [
      ['plural', 'PluralConflict'],
      ['singular', 'SingularConflict'],
      ['kind', 'KindConflict'],
      ['listKind', 'ListKindConflict'],
    ] as const) {
      const list = field === 'kind' || field === 'listKind' ? kinds : taken;
      if (names[field] && others.some((other) => list(other).includes(names[field] ?? null))) {
        return { reason, message: `${JSON.stringify(names[field])} is already in use` };
      }
    }
    const short = asArray(names['shortNames']).find((name) => others.some((other) => taken(other).includes(name)));
    return short
      ? { reason: 'ShortNamesConflict', message: `[${JSON.stringify(short)} is already in use]` }
      : undefined;
  }

  /** Deletes the objects of a definition that is being deleted, then removes its finalizer. */
  #empty(key: string, definition: JsonObject): void {
    if (!asArray(getIn(definition, 'metadata', 'finalizers')).includes(cleanupFinalizer)) return;
    const [resource] = customResources(definition);
    if (!resource) return;
    const { store } = this.#core;
    if (!this.#emptying.has(key)) {
      this.#emptying.set(
        key,
        store.watch(resource.collection, store.revision, ({ type }) => {
          if (type === 'DELETED' && store.count(resource.collection) === 0) this.#release(key);
        }),
      );
      const options = {
        gracePeriodSeconds: undefined,
        propagation: undefined,
        uid: undefined,
        resourceVersion: undefined,
        dryRun: false,
      };
      for (const { key: name } of store.list(resource.collection)) {
        removeObject({ core: this.#core, resource }, name, options);
      }
    }
    if (store.count(resource.collection) === 0) this.#release(key);
  }

  #release(key: string): void {
    const current = this.#core.store.get(collection, key);
    if (!current) return;
    const finalizers = asArray(getIn(current.object, 'metadata', 'finalizers')).filter(
      (one) => one !== cleanupFinalizer,
    );
    if (finalizers.length === 0) this.#core.store.delete(collection, current);
    else {
      updateStored(this.#core, this.#resource, key, (definition) => {
        (asObject(definition['metadata']) ?? {})['finalizers'] = finalizers;
        return true;
      });
    }
  }
}

function isTrue(definition: JsonObject, type: string): boolean {
  return asObjects(getIn(definition, 'status', 'conditions')).some(
    (one) => one['type'] === type && one['status'] === 'True',
  );
}
