// SPDX-License-Identifier: Apache-2.0
import { BlockList, isIP } from 'node:net';

/**
 * Addresses that are never an object store, but that expose secrets or trust processes on the same machine: loopback,
 * link-local, "this host", multicast, and the metadata services of clouds, not all of which are link-local.
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
  // 6to4, and site-specific NAT64: they contain IPv4 addresses at other positions, and no store uses them.
  ['2002::', 16],
  ['64:ff9b:1::', 48],
] as const) {
  local.addSubnet(network, bits, 'ipv6');
}

/** Prefixes of IPv6 addresses that contain an IPv4 address in their last 32 bits. */
const embedding = new BlockList();
for (const [network, bits] of [
  ['::ffff:0:0', 96],
  ['::', 96],
  ['64:ff9b::', 96],
  ['::ffff:0:0:0', 96],
] as const) {
  embedding.addSubnet(network, bits, 'ipv6');
}

/** True if a store must never have this address (not a name). Also true for text that is not an address. */
export function isLocalAddress(address: string): boolean {
  return isIP(address) === 0 || holds(local, address);
}

/**
 * True if an address is one of these, or in one of these networks (`10.0.0.0/8`). Other patterns are ignored, and a
 * name matches nothing. An IPv6 address that contains an IPv4 address counts as that IPv4 address, too.
 */
export function addressSet(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const { network, bits } = networkOf(entry) ?? {};
    if (network !== undefined && bits !== undefined)
      list.addSubnet(network, bits, isIP(network) === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => holds(list, address);
}

/** True for an address or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  return networkOf(text) !== undefined;
}

function networkOf(text: string): { readonly network: string; readonly bits: number } | undefined {
  const { network = '', bits } = /^(?<network>[0-9a-f.:]{2,45})(\/(?<bits>\d{1,3}))?$/i.exec(text)?.groups ?? {};
  const family = isIP(network);
  const most = family === 4 ? 32 : 128;
  if (family === 0 || Number(bits ?? most) > most) return undefined;
  return { network, bits: Number(bits ?? most) };
}

function holds(list: BlockList, address: string): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  if (family === 4) return list.check(address, 'ipv4');
  const [bare = ''] = address.split('%', 1);
  if (list.check(bare, 'ipv6')) return true;
  return embedding.check(bare, 'ipv6') && list.check(lastFourBytes(bare), 'ipv4');
}

/** The IPv4 address in an IPv6 address, in any notation. */
function lastFourBytes(address: string): string {
  // The URL parser writes every IPv6 address in one form: hexadecimal groups.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2);
  const bytes = groups.flatMap((group) => {
    const value = Number.parseInt(group === '' ? '0' : group, 16);
    return [value >> 8, value & 0xff];
  });
  return bytes.join('.');
}
