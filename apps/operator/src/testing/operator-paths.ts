// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type { Dialer, DialTarget } from '@etcd-operator/etcd';

/** Where a path leads: to another address, or, without one, to nobody who would even refuse. */
type Way = string | undefined;

/**
 * The operators' own connections to members. A test can hide an address from the operators alone, or lead it to somebody else:
 * members, clients and probes notice nothing.
 */
export class OperatorPaths {
  readonly #dial: (host: string, port: number) => Promise<Duplex>;
  readonly #ways = new Map<string, Way>();
  readonly #open = new Map<Duplex, string>();
  #newcomers: { readonly known: ReadonlySet<string>; readonly other: string } | undefined;
  /** Every connection that was asked for, as `host:port`. */
  readonly dials: string[] = [];

  constructor(dial: (host: string, port: number) => Promise<Duplex>) {
    this.#dial = dial;
  }

  readonly dial: Dialer = async ({ host, port }: DialTarget, signal: AbortSignal) => {
    this.dials.push(`${host}:${port}`);
    const way = this.#wayTo(host);
    if (way === undefined) return never(signal);
    const socket = await this.#dial(way, port);
    if (this.#wayTo(host) !== way) {
      socket.destroy();
      throw new Error('the path has changed while it was opened');
    }
    this.#open.set(socket, host);
    socket.once('close', () => this.#open.delete(socket));
    return socket;
  };

  /** Nothing comes back from these addresses any more, neither over new connections nor over those that are open. */
  hide(...hosts: readonly string[]): void {
    for (const host of hosts) this.#set(host, undefined);
  }

  /** Whoever wants to speak to `host` speaks to `other`. */
  lead(host: string, other: string): void {
    this.#set(host, other);
  }

  /** The same for every address that is not among those known, until the function that is returned is called. */
  leadNewcomers(known: readonly string[], other: string): () => void {
    this.#newcomers = { known: new Set(known), other };
    return () => {
      this.#newcomers = undefined;
      const unknown = [...this.#open.values()].filter((host) => !known.includes(host));
      for (const host of unknown) this.#end(host);
    };
  }

  /** These addresses lead where they should; what is open ends, because it may lead to the wrong one. */
  show(...hosts: readonly string[]): void {
    for (const host of hosts) {
      this.#ways.delete(host);
      this.#end(host);
    }
  }

  /** The same for all of them. */
  showAll(): void {
    this.show(...this.#ways.keys());
  }

  #set(host: string, way: Way): void {
    this.#ways.set(host, way);
    this.#end(host);
  }

  #wayTo(host: string): Way {
    if (this.#ways.has(host)) return this.#ways.get(host);
    return this.#newcomers && !this.#newcomers.known.has(host) ? this.#newcomers.other : host;
  }

  #end(host: string): void {
    for (const [socket, of] of this.#open) if (of === host) socket.destroy();
  }
}

/** Packets that vanish: the caller's own patience ends it. */
function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
