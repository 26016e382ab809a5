// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@etcd-operator/ports';
import { type Dialer, openRoute, type Route } from '../dialer.ts';
import { Connection, type ConnectionLimits } from './connection.ts';
import { DataTap } from './data-tap.ts';
import { openScope, within } from './scope.ts';

/** What a channel is made of. `route` is asked again for each connection, so that replaced certificates are used at once. */
export interface ChannelOptions {
  readonly route: () => Route;
  readonly dial: Dialer;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly limits: ConnectionLimits;
}

/**
 * idle: no connection; the next call opens one. connecting: one is being opened, all calls wait for it. open: calls share
 * it. closed: for good.
 *
 * idle -> connecting -> open -> idle (idle time, peer left, certificates replaced, no sign of life); any -> closed
 */
type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting'; readonly opened: Promise<Connection> }
  | { readonly kind: 'open'; readonly connection: Connection; readonly tls: Route['tls'] }
  | { readonly kind: 'closed' };

/** A connection for one large answer: the content of that comes out of `content`, all else out of the connection. */
export interface Apart {
  readonly connection: Connection;
  readonly content: DataTap;
}

/** The way to one member: at most one shared connection, opened when a call needs it. */
export class Channel {
  readonly #options: ChannelOptions;
  readonly #closing = new AbortController();
  readonly #apart = new Set<Connection>();
  #state: State = { kind: 'idle' };
  #generation = 0;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  /**
   * Changes whenever a connection comes or goes. What was learnt of the process behind one holds as long as this stays the
   * same.
   */
  get generation(): number {
    return this.#generation;
  }

  /** True while a connection is there or on its way. */
  get connected(): boolean {
    return this.#state.kind === 'open' || this.#state.kind === 'connecting';
  }

  /** The shared connection, opened if need be. Rejects with the signal's reason as soon as it is aborted. */
  async acquire(signal: AbortSignal): Promise<Connection> {
    for (;;) {
      signal.throwIfAborted();
      const state = this.#state;
      switch (state.kind) {
        case 'closed':
          throw new Error('the client has been closed');
        case 'connecting':
          await within(signal, state.opened);
          break;
        case 'idle':
          await within(signal, this.#connect());
          break;
        case 'open': {
          if (state.connection.pendingCheck) await within(signal, state.connection.pendingCheck);
          if (this.#state !== state) break;
          if (state.connection.usable && state.tls === this.#options.route().tls) return state.connection;
          this.#forget(state.connection);
          state.connection.retire();
        }
      }
    }
  }

  /**
   * A connection of its own for one large answer, so that it does not hold up small calls, and what the answer's content comes
   * out of. To be destroyed after use.
   */
  async acquireApart(windowBytes: number, signal: AbortSignal): Promise<Apart> {
    const { socket, authority } = await this.#dial(signal);
    const { limits, clock } = this.#options;
    const content = new DataTap(socket, windowBytes);
    const connection = new Connection(content, authority, clock, { ...limits, windowBytes });
    this.#apart.add(connection);
    connection.onClosed(() => this.#apart.delete(connection));
    return { connection, content };
  }

  /** Closes all connections; calls that run are ended. */
  close(): void {
    const state = this.#state;
    this.#state = { kind: 'closed' };
    this.#closing.abort(new Error('the client has been closed'));
    if (state.kind === 'open') state.connection.destroy();
    for (const connection of this.#apart) connection.destroy();
  }

  #connect(): Promise<Connection> {
    const { clock, limits } = this.#options;
    const opened = this.#dial(this.#closing.signal).then(
      ({ socket, authority, tls }) => {
        const connection = new Connection(socket, authority, clock, limits);
        this.#state = { kind: 'open', connection, tls };
        this.#generation++;
        connection.onClosed(() => this.#forget(connection));
        return connection;
      },
      (error: unknown) => {
        if (this.#state.kind === 'connecting') this.#state = { kind: 'idle' };
        throw error;
      },
    );
    // Whoever waits hears of a failure; if nobody does any more, it is nobody's.
    opened.catch(() => undefined);
    this.#state = { kind: 'connecting', opened };
    return opened;
  }

  async #dial(signal: AbortSignal) {
    const { clock, dial, connectTimeoutMs } = this.#options;
    const route = this.#options.route();
    using scope = openScope(clock, connectTimeoutMs, signal);
    const opening = openRoute(route, dial, 'h2', scope.signal);
    const socket = await within(scope.signal, opening).catch((error: unknown) => {
      // A dialer that does not heed its signal may still deliver: nobody would ever close that connection.
      void opening.then(
        (late) => late.destroy(),
        () => undefined,
      );
      throw error;
    });
    const { host, port } = route.target;
    const name = route.serverName ?? host;
    const authority = `${route.tls ? 'https' : 'http'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
    return { socket, authority, tls: route.tls };
  }

  #forget(connection: Connection): void {
    if (this.#state.kind !== 'open' || this.#state.connection !== connection) return;
    this.#state = { kind: 'idle' };
    this.#generation++;
  }
}
