// SPDX-License-Identifier: Apache-2.0
import { crdOf } from '@operator-parts/crd';
import { type Client, createClient, customResourceDefinitions } from '@operator-parts/kube';
import { type ApiServer, createApiServer } from '@operator-parts/kube-lab';
import { createLogger, systemClock } from '@operator-parts/ports';
import { type Network, networks } from '../network.ts';
import { type NetworkControllerOptions, runNetworkController } from '../network-controller.ts';
import type { NetworkSettings } from '../neutron/neutron.ts';
import { connectNeutron } from '../neutron/neutron-client.ts';
import { type NeutronServer, startNeutron } from '../neutron/neutron-server.ts';

/** A cluster, a network service, and the controller, all in this process. */
export interface World extends AsyncDisposable {
  readonly server: ApiServer;
  /** The client of a user with kubectl. */
  readonly client: Client;
  readonly neutron: NeutronServer;
  /** Messages of the controller's log, oldest first. */
  readonly lines: readonly string[];
  installCrd(): Promise<void>;
  startController(options?: Partial<NetworkControllerOptions>): void;
  stopController(): Promise<void>;
}

export async function createWorld(): Promise<World> {
  const server = createApiServer();
  const client = createClient(server.transport());
  const neutron = await startNeutron();
  const lines: string[] = [];
  const log = createLogger({ clock: systemClock, write: ({ message }) => lines.push(message) });
  let running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

  const stopController = async () => {
    running?.stop.abort();
    await running?.ended;
    running = undefined;
  };
  return {
    server,
    client,
    neutron,
    lines,
    async installCrd() {
      await client.resource(customResourceDefinitions).create(crdOf(networks));
    },
    startController(options = {}) {
      const stop = new AbortController();
      const identity = { user: 'network-controller', groups: ['system:masters'], client: 'network-controller' };
      const parts = {
        client: createClient(server.transport(identity)),
        neutron: connectNeutron({ url: neutron.url, clock: systemClock }),
        log,
      };
      running = { stop, ended: runNetworkController({ ...parts, ...options }, stop.signal) };
    },
    stopController,
    async [Symbol.asyncDispose]() {
      await stopController();
      await neutron[Symbol.asyncDispose]();
      await server.close();
    },
  };
}

export function network(name: string, settings: Partial<NetworkSettings> = {}): Network {
  return {
    apiVersion: 'samplecrd.k8s.io/v1',
    kind: 'Network',
    metadata: { namespace: 'default', name },
    spec: { cidr: '192.168.0.0/16', gateway: '192.168.0.1', ...settings },
  };
}
