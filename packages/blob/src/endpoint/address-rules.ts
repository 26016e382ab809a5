// SPDX-License-Identifier: Apache-2.0
import { BlockList, isIP } from 'node:net';

/**
 * Addresses that are no object store to anyone, but that give away secrets or trust whoever is on the same machine: loopback,
 * link-local, "this host", multicast, and the metadata services of clouds, which do not all live on link-local addresses.
 */
const local = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
] as const) {
  local.addSubnet(network, bits, 'ipv4');
}
// Metadata of Alibaba, Azure and Oracle.
for (const address of ['100.100.100.200', '168.63.129.16', '192.0.0.192']) local.addAddress(address, 'ipv4');
for (const [network, bits] of [
  ['::', 127],
  ['fe80::', 10],
  ['ff00::', 8],
  // Metadata of AWS (and of its containers) and of Google.
  ['fd00:ec2::', 32],
  ['fd20:ce::', 32],
] as const) {
  local.addSubnet(network, bits, 'ipv6');
}

/** Prefixes of IPv6 addresses that carry an IPv4 address in their last 32 bits. */
const embedding = new BlockList();
for (const [network, bits] of [
  ['::ffff:0:0', 96],
  ['::', 96],
  ['64:ff9b::', 96],
] as const) {
  embedding.addSubnet(network, bits, 'ipv6');
}

/** Is this (an address, not a name) one that a store may never have? Anything that is not an address is. */
export function isLocalAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  if (family === 4) return local.check(address, 'ipv4');
  const bare = address.replace(/%.*$/, '');
  if (local.check(bare, 'ipv6')) return true;
  return embedding.check(bare, 'ipv6') && local.check(lastFourBytes(bare), 'ipv4');
}

/** The IPv4 address in an IPv6 address, whichever way it is written. */
function lastFourBytes(address: string): string {
  // The URL parser writes every IPv6 address in one form: hexadecimal groups.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2);
  const bytes = groups.flatMap((group) => {
    const value = Number.parseInt(group === '' ? '0' : group, 16);
    return [value >> 8, value & 0xff];
  });
  return bytes.join('.');
}
