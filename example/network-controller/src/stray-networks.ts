// SPDX-License-Identifier: Apache-2.0
import type { Lister } from '@etcd-operator/controller-runtime';
import type { Network } from './network.ts';
import type { Neutron } from './neutron/neutron.ts';

/**
 * What only a look at the other side can find: networks of the network service that no Network declares. Somebody made them behind
 * the controller's back, or forced a Network away while no controller ran. Names such as `default/example-network` are the
 * controller's; a network with a name of any other form belongs to others and is left alone.
 */
export function strayNetworks(
  lister: Lister<Network>,
  neutron: Pick<Neutron, 'list'>,
): (signal: AbortSignal) => Promise<readonly string[]> {
  return async (signal) => {
    const names = await neutron.list(signal);
    return names.filter((name) => isKey(name) && !lister.get(name));
  };
}

/** Two names of Kubernetes objects with a slash in between. */
function isKey(name: string): boolean {
  return /^[a-z0-9.-]+\/[a-z0-9.-]+$/.test(name);
}
