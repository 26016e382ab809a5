// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ServiceRoute } from '../../agent-calls.ts';
import type { Cuts } from './cuts.ts';
import type { PodNetwork } from './pod-network.ts';
import { RelayedConnection } from './relayed-connection.ts';

interface Served {
  route: ServiceRoute;
  readonly servers: Map<number, Server>;
}

/**
 * Cluster IPs: each is an address of the lab itself, and every connection to one of its ports is forwarded to the next
 * endpoint of the Service. Works from every pod, including the target.
 */
export class ServiceRelay {
  readonly #network: Pick<PodNetwork, 'own'>;
  readonly #cuts: Pick<Cuts, 'blocks' | 'onChange'>;
  readonly #served = new Map<string, Served>();
  /** Resolves when the last change of an owner's route is done. */
  readonly #changes = new Map<string, Promise<void>>();
  readonly #connections = new Set<RelayedConnection>();
  #turn = 0;

  constructor(network: Pick<PodNetwork, 'own'>, cuts: Pick<Cuts, 'blocks' | 'onChange'>) {
    this.#network = network;
    this.#cuts = cuts;
    cuts.onChange(() => {
      for (const connection of this.#connections) connection.update();
    });
  }

  /**
   * Replaces the route of an owner; undefined removes it. Changes are made in the order of the calls: if a Service is
   * deleted and created again at once, its route changes three times before the first change is done.
   */
  async set(owner: string, route: ServiceRoute | undefined): Promise<void> {
    const before = this.#changes.get(owner) ?? Promise.resolve();
    const change = before.catch(() => {}).then(() => this.#replace(owner, route));
    this.#changes.set(owner, change);
    try {
      await change;
    } finally {
      if (this.#changes.get(owner) === change) this.#changes.delete(owner);
    }
  }

  async #replace(owner: string, route: ServiceRoute | undefined): Promise<void> {
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

  /**
   * Forwards connections to an address of the lab to the current `target`; refuses them if there is none.
   * @param between creates a stream through which the data pass, such as a delay; called for each direction
   */
  async listenTo(
    address: string,
    port: number,
    target: () => NetConnectOpts | undefined,
    between?: () => Duplex,
  ): Promise<Server> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (incoming) => {
      const where = target();
      if (where) this.#pass(incoming, where, between);
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

  #pass(incoming: Socket, target: NetConnectOpts, between: (() => Duplex) | undefined): void {
    const { host, port } = 'host' in target ? target : { host: undefined, port: undefined };
    const passable = (from: string, to: string) => !this.#cuts.blocks(from, to, to === host ? port : undefined);
    const connection = new RelayedConnection(incoming, target, passable, between);
    this.#connections.add(connection);
    incoming.on('close', () => this.#connections.delete(connection));
  }
}
