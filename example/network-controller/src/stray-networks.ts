// SPDX-License-Identifier: Apache-2.0
import type { Lister } from '@operator-parts/controller-runtime';
import type { Network } from './network.ts';
import type { Neutron } from './neutron/neutron.ts';

/**
 * Stray networks, which only the network service can list: no Network declares them. They were created without the
 * controller, or their Network was deleted by force while no controller ran. Names such as `default/example-network`
 * belong to the controller; networks with other names are not touched.
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

/** Two names of Kubernetes objects separated by a slash. */
function isKey(name: string): boolean {
  return /^[a-z0-9.-]+\/[a-z0-9.-]+$/.test(name);
}
