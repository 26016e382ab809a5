// SPDX-License-Identifier: Apache-2.0
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { isLocalAddress } from '@etcd-operator/blob';
import { type Dialer, networkDialer } from '@etcd-operator/etcd';

/** Looks up a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/**
 * Connects over the network, but never to loopback, link-local and metadata addresses, also not where a name leads to one:
 * endpoints are written by people who may create backups, and must not lead the operator to itself or its machine. The
 * address that was checked is the one that is used.
 */
export function guardedDialer(resolve: Resolve = systemResolve, dial: Dialer = networkDialer): Dialer {
  return async ({ host, port }, signal) => {
    const addresses = isIP(host) === 0 ? await resolve(host) : [host];
    signal.throwIfAborted();
    if (addresses.length === 0 || addresses.some(isLocalAddress)) {
      throw new Error(`${host} is, or leads to, a loopback, link-local or metadata address; that is refused`);
    }
    return first(addresses, (address) => dial({ host: address, port }, signal));
  };
}

async function first(addresses: readonly string[], connect: (address: string) => Promise<Duplex>): Promise<Duplex> {
  let failure: unknown;
  for (const address of addresses) {
    try {
      return await connect(address);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function systemResolve(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}
