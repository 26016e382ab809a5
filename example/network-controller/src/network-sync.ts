// SPDX-License-Identifier: Apache-2.0
import {
  addFinalizerPatch,
  isBeingDeleted,
  type Lister,
  removeFinalizerPatch,
} from '@operator-parts/controller-runtime';
import { type Client, isKubeError, parseKey } from '@operator-parts/kube';
import type { Logger } from '@operator-parts/ports';
import { compare } from './compare.ts';
import { type Network, networks } from './network.ts';
import type { Neutron } from './neutron/neutron.ts';

/** Keeps a deleted Network until it is gone from the network service too. */
export const finalizer = 'samplecrd.k8s.io/neutron';

export interface NetworkSyncOptions {
  readonly lister: Lister<Network>;
  readonly client: Client;
  readonly neutron: Neutron;
  readonly log: Logger;
}

/** Makes the network service match one Network. */
export type NetworkSync = (key: string, signal: AbortSignal) => Promise<void>;

/**
 * Creates the main function of the controller. It gets the key of a Network, not what happened to it: it reads both
 * sides, compares, and makes at most one call. Errors are thrown, and the control loop retries; so every step may
 * happen twice, and the process may end between any two of them.
 */
export function createNetworkSync({ lister, client, neutron, log }: NetworkSyncOptions): NetworkSync {
  const api = client.resource(networks.resource);

  return async (key, signal) => {
    const network = lister.get(key);
    if (!network) {
      // It was deleted without our finalizer, or it is a stray network.
      await remove(key, 'does not exist in local cache', signal);
    } else if (isBeingDeleted(network)) {
      // The finalizer keeps it in the cache until Neutron has deleted its network.
      await remove(key, 'is being deleted', signal);
      const patch = removeFinalizerPatch(network, finalizer);
      if (patch) await api.patch(parseKey(key), patch, { signal }).catch(unlessGone);
    } else {
      // Before the first call: from then on the Network cannot be deleted without our cleanup.
      const patch = addFinalizerPatch(network, finalizer);
      const current = patch ? await api.patch(parseKey(key), patch, { signal }) : network;
      await ensure(key, current, signal);
    }
  };

  async function remove(key: string, why: string, signal: AbortSignal): Promise<void> {
    if (compare(undefined, await neutron.get(key, signal)).type === 'nothing') return;
    log.warn(`Network: ${key} ${why}, will delete it from Neutron ...`);
    log.info(`[Neutron] Deleting network: ${key} ...`);
    await neutron.delete(key, signal);
  }

  async function ensure(key: string, network: Network, signal: AbortSignal): Promise<void> {
    const step = compare(network.spec, await neutron.get(key, signal));
    if (step.type !== 'create' && step.type !== 'update') return;
    log.info(`[Neutron] Try to process network: ${wordsFor(network)} ...`, { call: step.type });
    await neutron[step.type](key, step.settings, signal);
  }
}

/** The object as Go prints it, with its version and its spec. */
function wordsFor({ metadata, spec }: Network): string {
  const { name, namespace, resourceVersion } = metadata ?? {};
  const fields = `Name:"${name}", Namespace:"${namespace}", ResourceVersion:"${resourceVersion}"`;
  return `Network{${fields}, Spec:{Cidr:"${spec.cidr}", Gateway:"${spec.gateway}"}}`;
}

function unlessGone(error: unknown): undefined {
  if (isKubeError(error, 'NotFound')) return undefined;
  throw error;
}
