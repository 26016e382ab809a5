// SPDX-License-Identifier: Apache-2.0
import { createManager } from '@operator-parts/controller-runtime';
import type { Client } from '@operator-parts/kube';
import { type Clock, type Logger, systemClock } from '@operator-parts/ports';
import { createControlLoop } from './control-loop.ts';
import { addDeploymentNetworks } from './deployment-networks.ts';
import { networks } from './network.ts';
import { createNetworkSync } from './network-sync.ts';
import type { Neutron } from './neutron/neutron.ts';
import { strayNetworks } from './stray-networks.ts';

export interface NetworkControllerOptions {
  readonly client: Client;
  readonly neutron: Neutron;
  readonly log: Logger;
  /** @default systemClock */
  readonly clock?: Clock;
  /** How soon external changes are repaired, in milliseconds. @default 30000 */
  readonly resyncPeriod?: number;
  /** @default 2 */
  readonly workers?: number;
}

/** Runs all parts until `signal` is aborted. */
export async function runNetworkController(options: NetworkControllerOptions, signal: AbortSignal): Promise<void> {
  const { client, neutron, log, clock = systemClock, resyncPeriod = 30_000, workers = 2 } = options;
  const manager = createManager({ client, log, clock });
  const informer = manager.informer(networks.resource);
  const sync = createNetworkSync({ lister: informer.lister, client, neutron, log });
  const strays = strayNetworks(informer.lister, neutron);
  manager.add(createControlLoop({ informer, sync, strays, clock, log, workers, resyncPeriod }));
  addDeploymentNetworks(manager);
  await manager.run(signal);
}
