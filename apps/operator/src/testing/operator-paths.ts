// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type { Dialer, DialTarget } from '@operator-parts/etcd';

/** Where a connection leads: to another address or, if undefined, to no answer at all, not even a refusal. */
type Way = string | undefined;

/**
 * The operators' own connections to members. A test can hide an address from the operators only, or redirect it; members, clients and
 * probes are not affected.
 */
export class OperatorPaths {
  readonly #dial: (host: string, port: number) => Promise<Duplex>;
  readonly #ways = new Map<string, Way>();
  readonly #open = new Map<Duplex, string>();
  #newcomers: { readonly known: ReadonlySet<string>; readonly other: string } | undefined;
  /** All requested connections, as `host:port`. */
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

  /** From now on these addresses send no answers, over new connections or existing ones. */
  hide(...hosts: readonly string[]): void {
    for (const host of hosts) this.#set(host, undefined);
  }

  /** Redirects connections for `host` to `other`. */
  lead(host: string, other: string): void {
    this.#set(host, other);
  }

  /** Redirects every address that is not in `known`, until the returned function is called. */
  leadNewcomers(known: readonly string[], other: string): () => void {
    this.#newcomers = { known: new Set(known), other };
    return () => {
      this.#newcomers = undefined;
      const unknown = [...this.#open.values()].filter((host) => !known.includes(host));
      for (const host of unknown) this.#end(host);
    };
  }

  /** Stops hiding and redirecting these addresses. Existing connections are closed, because they may lead to the wrong address. */
  show(...hosts: readonly string[]): void {
    for (const host of hosts) {
      this.#ways.delete(host);
      this.#end(host);
    }
  }

  /** Stops hiding and redirecting all addresses. */
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

/** Packets are lost: only the caller's own timeout ends the attempt. */
function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
