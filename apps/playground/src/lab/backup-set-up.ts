// SPDX-License-Identifier: Apache-2.0

import { etcdBackups, etcdRestores } from '@etcd-operator/operator';
import { isKubeError, type KubeObject, type Resource } from '@operator-parts/kube';
import type { Lab } from '@operator-parts/kube-lab';
import { systemClock } from '@operator-parts/ports';
import { type ObjectStoreOptions, startObjectStore } from './object-store.ts';
import { type StoreOperatorOptions, startStoreOperators } from './store-operators.ts';

/** Everything that backups need: a store, and the operators that use it. Resolves when both kinds are served. */
export async function setUpBackups(options: ObjectStoreOptions & StoreOperatorOptions): Promise<void> {
  const { lab, signal } = options;
  await Promise.all([startObjectStore(options), startStoreOperators(options)]);
  await served(lab, etcdBackups.resource, signal);
  await served(lab, etcdRestores.resource, signal);
}

/** The operators install their CRDs themselves. */
async function served(lab: Lab, resource: Resource<KubeObject>, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await lab.client().resource(resource).list({ limit: 1, signal });
      return;
    } catch (error) {
      if (!isKubeError(error, 'NotFound')) throw error;
      await systemClock.sleep(100, signal);
    }
  }
}
