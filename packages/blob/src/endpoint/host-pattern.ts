// SPDX-License-Identifier: Apache-2.0
import { isIPv6 } from 'node:net';
import { addressSet, isNetwork } from './address-rules.ts';

/**
 * True if a host, a name in lower case or an address without brackets, matches a pattern. `*` matches any characters. A
 * pattern with a port requires that port; an IPv6 address has brackets there (`[fd00::1]:9000`). A network
 * (`10.0.0.0/8`) matches addresses in it.
 */
export function fitsHost(pattern: string, host: string, port: string): boolean {
  if (isNetwork(pattern)) return addressSet([pattern])(host);
  const { name = '', port: wantedPort } = /^(?<name>.*?)(:(?<port>\d+))?$/s.exec(pattern.toLowerCase())?.groups ?? {};
  const bracketed = /^\[(.*)\]$/s.exec(name)?.[1];
  const isPort = wantedPort === undefined || wantedPort === port;
  if (bracketed !== undefined) return isPort && isIPv6(bracketed) && addressSet([bracketed])(host);
  const expression = name
    .split('*')
    .map((text) => text.replace(/[^a-z0-9-]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${expression}$`, 's').test(host) && isPort;
}
