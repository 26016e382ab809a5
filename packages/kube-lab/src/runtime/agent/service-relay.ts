// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import type { ServiceRoute } from '../agent-calls.ts';
import type { PodNetwork } from './pod-network.ts';

interface Served {
  route: ServiceRoute;
  readonly servers: Map<number, Server>;
}

/**
 * Cluster IPs: each is an address of the lab itself, and every connection to one of its ports is passed on to the next of the
 * service's endpoints. Works from every pod, the target included.
 */
export class ServiceRelay {
  readonly #network: PodNetwork;
  readonly #served = new Map<string, Served>();
  #turn = 0;

  constructor(network: PodNetwork) {
    this.#network = network;
  }

  /** Replaces the route of an owner; undefined takes it away. */
  async set(owner: string, route: ServiceRoute | undefined): Promise<void> {
    const old = this.#served.get(owner);
    if (old && old.route.address !== route?.address) {
      this.#served.delete(owner);
      for (const server of old.servers.values()) server.close();
      await this.#network.own(old.route.address, false);
    }
    if (!route) return;
    const served = this.#served.get(owner) ?? { route, servers: new Map<number, Server>() };
    if (!this.#served.has(owner)) await this.#network.own(route.address, true);
    served.route = route;
    this.#served.set(owner, served);
    await this.#listen(served);
  }

  /** Passes connections to an address of the lab on to wherever `target` says at that moment; refuses if nowhere. */
  async listenTo(address: string, port: number, target: () => NetConnectOpts | undefined): Promise<Server> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (incoming) => {
      const where = target();
      if (where) pass(incoming, where);
      else incoming.resetAndDestroy();
    });
    server.listen(port, address);
    await once(server, 'listening');
    return server;
  }

  async #listen(served: Served): Promise<void> {
    const wanted = new Set(served.route.ports.map(({ port }) => port));
    for (const [port, server] of served.servers) {
      if (wanted.has(port)) continue;
      served.servers.delete(port);
      server.close();
    }
    for (const port of wanted) {
      if (served.servers.has(port)) continue;
      served.servers.set(port, await this.listenTo(served.route.address, port, () => this.#next(served, port)));
    }
  }

  #next({ route }: Served, port: number): NetConnectOpts | undefined {
    const targets = route.ports.find((each) => each.port === port)?.targets ?? [];
    return targets[this.#turn++ % Math.max(1, targets.length)];
  }
}

function pass(incoming: Socket, target: NetConnectOpts): void {
  const outgoing = connect({ ...target, allowHalfOpen: true, noDelay: true } as NetConnectOpts);
  incoming.on('error', () => outgoing.destroy());
  outgoing.on('error', () => incoming.resetAndDestroy());
  incoming.on('close', () => outgoing.destroy());
  outgoing.on('close', () => incoming.destroy());
  incoming.pipe(outgoing);
  outgoing.pipe(incoming);
}
