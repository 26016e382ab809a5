// SPDX-License-Identifier: Apache-2.0
import { apiVersionOf } from '@operator-parts/kube';
import { trackUpdate } from '../apply/field-manager.ts';
import { equalButForTimes } from '../apply/managed-fields.ts';
import { asObject, cloneJson, type JsonObject } from '../json/json.ts';
import { timestamp } from '../json/timestamp.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { StoreError } from '../storage/store-error.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { Core } from './core.ts';

const systemIdentity = { user: 'system:apiserver', groups: ['system:masters'] };

/** The subresource and field manager with which the server itself writes. */
export interface SystemWrite {
  /** @default 'kube-apiserver' */
  readonly manager?: string;
  /** @default '' */
  readonly subresource?: string;
  /** Leaves managedFields unchanged. @default false */
  readonly untracked?: boolean;
}

/**
 * Changes a stored object as the server's own controllers do: no admission, no validation, but with managed fields.
 * `change` gets a private copy and returns false to change nothing.
 */
export function updateStored(
  core: Core,
  resource: ServedResource,
  key: string,
  change: (object: JsonObject) => boolean | undefined,
  write: SystemWrite = {},
): StoredObject | undefined {
  for (;;) {
    const current = core.store.get(resource.collection, key);
    if (!current) return undefined;
    const next = cloneJson(current.object);
    if (change(next) === false) return current;
    if (!write.untracked) track(core, resource, current.object, next, write);
    if (equalButForTimes(current.object, next)) return current;
    try {
      return core.store.update(resource.collection, current, next);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'Changed') throw error;
    }
  }
}

/** Creates an object as the server itself; an existing one is not changed. */
export function createStored(core: Core, resource: ServedResource, key: string, value: JsonObject): StoredObject {
  const present = core.store.get(resource.collection, key);
  if (present) return present;
  const { object } = resource.codec.decode(value);
  trackUpdate({ type: resource.fieldType, resetFields: resource.resetFields('') }, resource.codec.empty(), object, {
    manager: 'kube-apiserver',
    apiVersion: apiVersionOf(resource),
    subresource: '',
    time: timestamp(core.clock),
  });
  const metadata = asObject(object['metadata']) ?? {};
  metadata['uid'] = core.random.uuid();
  metadata['creationTimestamp'] = timestamp(core.clock);
  resource.strategy.prepareForCreate?.(object, { ...core, identity: systemIdentity, warn: () => undefined });
  return core.store.create(resource.collection, key, object);
}

function track(core: Core, resource: ServedResource, live: JsonObject, next: JsonObject, write: SystemWrite): void {
  const { manager = 'kube-apiserver', subresource = '' } = write;
  const rules = { type: resource.fieldType, resetFields: resource.resetFields(subresource) };
  trackUpdate(rules, live, next, {
    manager,
    apiVersion: apiVersionOf(resource),
    subresource,
    time: timestamp(core.clock),
  });
}
