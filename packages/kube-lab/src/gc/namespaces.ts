// SPDX-License-Identifier: Apache-2.0
import { removeObject } from '../handlers/delete.ts';
import { asArray, asObject, asObjects, ensureObject, getIn, type JsonObject } from '../json/json.ts';
import { timestamp } from '../json/timestamp.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { Core } from '../server/core.ts';
import { updateStored } from '../server/system-writer.ts';
import type { WorkList } from './work-list.ts';

const plainDelete = {
  gracePeriodSeconds: undefined,
  propagation: 'Background',
  uid: undefined,
  resourceVersion: undefined,
  dryRun: false,
} as const;

/** The remaining objects of one kind in a namespace. */
interface Remaining {
  readonly resource: ServedResource;
  readonly objects: readonly JsonObject[];
}

/** Empties namespaces that are being deleted, and removes them when they are empty. */
export class NamespaceCleaner {
  readonly #core: Core;
  readonly #work: WorkList<string>;
  readonly #stop: () => void;
  readonly #terminating = new Set<string>();

  constructor(core: Core, work: (process: (name: string) => void) => WorkList<string>) {
    this.#core = core;
    this.#work = work((name) => this.#process(name));
    this.#stop = core.store.watchAll(({ type, collection, current }) => {
      if (collection === 'namespaces') {
        if (type === 'DELETED') this.#terminating.delete(current.key);
        else if (getIn(current.object, 'metadata', 'deletionTimestamp') !== undefined) {
          this.#terminating.add(current.key);
          this.#work.add(current.key, current.key);
        }
      } else if (type === 'DELETED' && this.#terminating.size > 0) {
        const namespace = current.key.split('/')[0] ?? '';
        if (this.#terminating.has(namespace)) this.#work.add(namespace, namespace);
      }
    });
  }

  close(): void {
    this.#stop();
    this.#work.close();
  }

  #process(name: string): void {
    const { store } = this.#core;
    if (!store.get('namespaces', name)) return;
    for (const resource of this.#namespacedResources()) {
      for (const stored of store.list(resource.collection, `${name}/`)) {
        if (getIn(stored.object, 'metadata', 'deletionTimestamp') === undefined) {
          removeObject({ core: this.#core, resource }, stored.key, plainDelete);
        }
      }
    }
    const remaining = this.#remaining(name);
    if (remaining.length === 0) this.#finish(name);
    else this.#report(name, remaining);
  }

  #namespacedResources(): readonly ServedResource[] {
    const byCollection = new Map<string, ServedResource>();
    for (const resource of this.#core.registry.all()) {
      if (resource.namespaced && resource.verbs.includes('delete')) byCollection.set(resource.collection, resource);
    }
    return [...byCollection.values()];
  }

  #remaining(name: string): readonly Remaining[] {
    return this.#namespacedResources()
      .map((resource) => ({
        resource,
        objects: this.#core.store.list(resource.collection, `${name}/`).map(({ object }) => object),
      }))
      .filter(({ objects }) => objects.length > 0);
  }

  #finish(name: string): void {
    const current = this.#core.store.get('namespaces', name);
    if (!current) return;
    const others = asArray(getIn(current.object, 'spec', 'finalizers')).filter((one) => one !== 'kubernetes');
    const held = asArray(getIn(current.object, 'metadata', 'finalizers')).length > 0;
    if (others.length === 0 && !held) {
      this.#core.store.delete('namespaces', current);
      return;
    }
    this.#update(name, (object) => {
      const spec = ensureObject(object, 'spec');
      if (others.length > 0) spec['finalizers'] = others;
      else delete spec['finalizers'];
    });
  }

  /** Reports in the status what blocks the deletion of a namespace. */
  #report(name: string, remaining: readonly Remaining[]): void {
    const content = remaining.map(
      ({ resource, objects }) => `${qualified(resource)} has ${objects.length} resource instances`,
    );
    const finalizers = new Map<string, number>();
    for (const { objects } of remaining) {
      for (const object of objects) {
        for (const one of asArray(getIn(object, 'metadata', 'finalizers')).map(String)) {
          finalizers.set(one, (finalizers.get(one) ?? 0) + 1);
        }
      }
    }
    const held = [...finalizers].map(([one, count]) => `${one} in ${count} resource instances`);
    this.#update(name, (object) => {
      const status = ensureObject(object, 'status');
      const conditions: readonly Condition[] = [
        ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered', 'All resources successfully discovered'],
        [
          'NamespaceDeletionGroupVersionParsingFailure',
          'False',
          'ParsedGroupVersions',
          'All legacy kube types successfully parsed',
        ],
        [
          'NamespaceDeletionContentFailure',
          'False',
          'ContentDeleted',
          'All content successfully deleted, may be waiting on finalization',
        ],
        [
          'NamespaceContentRemaining',
          'True',
          'SomeResourcesRemain',
          `Some resources are remaining: ${content.join(', ')}`,
        ],
        held.length > 0
          ? [
              'NamespaceFinalizersRemaining',
              'True',
              'SomeFinalizersRemain',
              `Some content in the namespace has finalizers remaining: ${held.join(', ')}`,
            ]
          : [
              'NamespaceFinalizersRemaining',
              'False',
              'ContentHasNoFinalizers',
              'All content-preserving finalizers finished',
            ],
      ];
      status['conditions'] = conditions.map((condition) => this.#condition(status, condition));
    });
  }

  #condition(status: JsonObject, [type, value, reason, message]: Condition): JsonObject {
    const before = asObjects(status['conditions']).find((one) => one['type'] === type);
    const moved = before?.['status'] !== value;
    const lastTransitionTime = moved ? timestamp(this.#core.clock) : (before?.['lastTransitionTime'] ?? null);
    return { type, status: value, lastTransitionTime, reason, message };
  }

  #update(name: string, change: (object: JsonObject) => void): void {
    const resource = this.#core.registry.find('', 'v1', 'namespaces');
    if (!resource) return;
    const write = { manager: 'kube-controller-manager', subresource: 'status' };
    updateStored(
      this.#core,
      resource,
      name,
      (object) => {
        change(object);
        return asObject(object['metadata']) !== undefined;
      },
      write,
    );
  }
}

type Condition = readonly [type: string, status: 'True' | 'False', reason: string, message: string];

function qualified({ group, plural }: ServedResource): string {
  return group ? `${plural}.${group}` : `${plural}.`;
}
