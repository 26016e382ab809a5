// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';
import { type Dialer, openRoute, type Route } from '../dialer.ts';
import { Connection, type ConnectionLimits } from './connection.ts';
import { DataTap } from './data-tap.ts';
import { openScope, within } from './scope.ts';

/**
 * The dependencies of a channel. `route` is called for each connection, so that replaced certificates are used at once.
 */
export interface ChannelOptions {
  readonly route: () => Route;
  readonly dial: Dialer;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly limits: ConnectionLimits;
}

/**
 * idle: no connection; the next call opens one. connecting: one is being opened, all calls wait for it. open: calls
 * share it. closed: permanently.
 *
 * idle -> connecting -> open -> idle (idle time, peer disconnected, certificates replaced, no answer to a ping); any ->
 * closed
 */
type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting'; readonly opened: Promise<Connection> }
  | { readonly kind: 'open'; readonly connection: Connection; readonly tls: Route['tls'] }
  | { readonly kind: 'closed' };

/** A connection for one large answer: its content is read from `content`, everything else from the connection. */
export interface DedicatedConnection {
  readonly connection: Connection;
  readonly content: DataTap;
}

/** The shared connection to one member. It is opened when a call needs it; there is at most one at a time. */
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
   * Changes whenever a connection is opened or closed. Facts about the member's process are valid as long as this
   * number is unchanged.
   */
  get generation(): number {
    return this.#generation;
  }

  /** True while a connection is open or being opened. */
  get connected(): boolean {
    return this.#state.kind === 'open' || this.#state.kind === 'connecting';
  }

  /** The shared connection, opened if necessary. Rejects with the signal's reason as soon as it is aborted. */
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
   * A separate connection for one large answer, so that it does not delay small calls, and the source of the answer's
   * content. Destroy it after use.
   */
  async acquireApart(windowBytes: number, signal: AbortSignal): Promise<DedicatedConnection> {
    const { socket, authority } = await this.#dial(signal);
    const { limits, clock } = this.#options;
    const content = new DataTap(socket, windowBytes);
    const connection = new Connection(content, authority, clock, { ...limits, windowBytes });
    this.#apart.add(connection);
    connection.onClosed(() => this.#apart.delete(connection));
    return { connection, content };
  }

  /** Closes all connections; running calls are ended. */
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
    // A waiting caller gets the failure. If no caller waits, the failure is ignored.
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
      // A dialer that ignores its signal may still return a connection, which must be closed.
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
