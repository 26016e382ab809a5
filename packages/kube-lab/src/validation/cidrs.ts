// SPDX-License-Identifier: Apache-2.0
import { BlockList, isIP } from 'node:net';

interface Range {
  readonly address: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
}

function rangeOf(text: string): Range | undefined {
  const [address = '', bits = '', ...rest] = text.split('/');
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  if (isIP(address) === 0 || rest.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(bits)) return undefined;
  return Number(bits) <= (family === 'ipv4' ? 32 : 128) ? { address, bits: Number(bits), family } : undefined;
}

function holds(range: Range, address: string, family: Range['family']): boolean {
  const list = new BlockList();
  list.addSubnet(range.address, range.bits, range.family);
  return range.family === family && list.check(address, family);
}

/** True if the address of a range has host bits set. */
function hasHostBits({ address, bits, family }: Range): boolean {
  if (family === 'ipv6') return false;
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return number % 2 ** (32 - bits) !== 0;
}

/** The validation errors of a range of addresses such as `10.0.0.0/8`. */
export function cidrErrors(text: string): readonly string[] {
  const range = rangeOf(text);
  if (!range) return ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'];
  return hasHostBits(range) ? ['must not have bits set beyond the prefix length'] : [];
}

/** True if one range is part of another, and smaller. False for an invalid range. */
export function isStrictSubset(inner: string, outer: string): boolean {
  const [small, large] = [rangeOf(inner), rangeOf(outer)];
  return !!small && !!large && small.bits > large.bits && holds(large, small.address, small.family);
}
