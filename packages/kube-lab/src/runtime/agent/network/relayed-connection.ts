// SPDX-License-Identifier: Apache-2.0
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Whether packets between two addresses currently pass. */
export type Passable = (from: string, to: string) => boolean;

/**
 * A connection that the lab forwards. While a cut between its two ends is active, nothing is forwarded in either
 * direction, and neither end gets an error.
 */
export class RelayedConnection {
  readonly #incoming: Socket;
  readonly #target: NetConnectOpts;
  readonly #isPassable: () => boolean;
  readonly #between: (() => Duplex) | undefined;
  #outgoing: Socket | undefined;
  #flowing = false;

  /** @param between creates a stream through which the data pass, such as a delay; called for each direction */
  constructor(incoming: Socket, target: NetConnectOpts, isPassable: Passable, between?: () => Duplex) {
    this.#incoming = incoming;
    this.#target = target;
    this.#between = between;
    const from = incoming.remoteAddress ?? '';
    const to = 'host' in target ? (target.host ?? '') : '';
    this.#isPassable = () => isPassable(from, to) && isPassable(to, from);
    incoming.pause();
    incoming.on('error', () => this.#outgoing?.destroy());
    incoming.on('close', () => this.#outgoing?.destroy());
    this.update();
  }

  /** Checks again whether data may be forwarded. */
  update(): void {
    if (this.#isPassable()) this.#flow();
    else this.#hold();
  }

  #flow(): void {
    if (this.#flowing || this.#incoming.destroyed) return;
    this.#flowing = true;
    this.#outgoing ??= this.#dial();
    this.#pipe(this.#incoming, this.#outgoing);
    this.#pipe(this.#outgoing, this.#incoming);
  }

  #hold(): void {
    if (!this.#flowing) return;
    this.#flowing = false;
    for (const socket of [this.#incoming, this.#outgoing]) {
      socket?.unpipe();
      socket?.pause();
    }
  }

  #dial(): Socket {
    const outgoing = connect({ ...this.#target, allowHalfOpen: true, noDelay: true } as NetConnectOpts);
    outgoing.on('error', () => this.#incoming.resetAndDestroy());
    outgoing.on('close', () => this.#incoming.destroy());
    return outgoing;
  }

  #pipe(from: Socket, to: Socket): void {
    if (this.#between) from.pipe(this.#between()).pipe(to);
    else from.pipe(to);
  }
}
