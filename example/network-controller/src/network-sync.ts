// SPDX-License-Identifier: Apache-2.0
import {
  addFinalizerPatch,
  isBeingDeleted,
  type Lister,
  removeFinalizerPatch,
} from '@etcd-operator/controller-runtime';
import { type Client, isKubeError, parseKey } from '@etcd-operator/kube';
import type { Logger } from '@etcd-operator/ports';
import { compare } from './compare.ts';
import { type Network, networks } from './network.ts';
import type { NetworkSettings, Neutron } from './neutron/neutron.ts';

/** Holds a deleted Network back until it is gone from the network service too. */
export const finalizer = 'samplecrd.k8s.io/neutron';

export interface NetworkSyncOptions {
  readonly lister: Lister<Network>;
  readonly client: Client;
  readonly neutron: Neutron;
  readonly log: Logger;
}

/** Brings the network service to what one Network wants. */
export type NetworkSync = (key: string, signal: AbortSignal) => Promise<void>;

/**
 * Makes the one function that a controller's author has to think about. It is told which Network to look at, not what
 * happened to it: it reads both sides, compares, and makes at most one call. What goes wrong is thrown, and the control loop
 * comes back; so every step may happen twice, and the process may end between any two of them.
 */
export function createNetworkSync({ lister, client, neutron, log }: NetworkSyncOptions): NetworkSync {
  const api = client.resource(networks.resource);

  return async (key, signal) => {
    const network = lister.get(key);
    if (!network) {
      log.info(`Network ${key} is not in the local cache: it is deleted from Neutron too`);
      await adjust(key, undefined, signal);
    } else if (isBeingDeleted(network)) {
      await adjust(key, undefined, signal);
      const patch = removeFinalizerPatch(network, finalizer);
      if (patch) await api.patch(parseKey(key), patch, { signal }).catch(unlessGone);
    } else {
      // Before the first call: from then on nobody can delete the Network without our cleaning up.
      const patch = addFinalizerPatch(network, finalizer);
      if (patch) await api.patch(parseKey(key), patch, { signal });
      await adjust(key, network.spec, signal);
    }
  };

  async function adjust(key: string, desired: NetworkSettings | undefined, signal: AbortSignal): Promise<void> {
    const step = compare(desired, await neutron.get(key, signal));
    switch (step.type) {
      case 'nothing':
        return;
      case 'delete':
        log.info(`[Neutron] Deleting network: ${key} ...`);
        return neutron.delete(key, signal);
      case 'create':
      case 'update':
        log.info(`[Neutron] Processing network: ${key} ...`, { call: step.type, ...step.settings });
        return neutron[step.type](key, step.settings, signal);
    }
  }
}

function unlessGone(error: unknown): undefined {
  if (isKubeError(error, 'NotFound')) return undefined;
  throw error;
}
