// SPDX-License-Identifier: Apache-2.0
import { isIPv6 } from 'node:net';

/** A record of the lab's zone. Names are fully qualified, in lower case, without the final dot. */
export type DnsRecord =
  | { readonly type: 'A' | 'AAAA'; readonly name: string; readonly address: string }
  | { readonly type: 'PTR'; readonly name: string; readonly target: string }
  | { readonly type: 'CNAME'; readonly name: string; readonly target: string }
  | {
      readonly type: 'SRV';
      readonly name: string;
      readonly priority: number;
      readonly weight: number;
      readonly port: number;
      readonly target: string;
    };

/** The record that maps a name to an address. */
export function addressRecord(name: string, address: string): DnsRecord {
  return { type: isIPv6(address) ? 'AAAA' : 'A', name, address };
}

/** The 16 bytes of an IPv6 address in any notation. */
export function ipv6Bytes(address: string): readonly number[] {
  const [left = '', right] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [before, after] = [groups(left), groups(right ?? '')];
  const filled = [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after];
  return filled.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
}

/** `10.1.2.3` -> `3.2.1.10.in-addr.arpa`, the name of a reverse lookup; for IPv6 the 32 digits, the last one first. */
export function reverseName(address: string): string {
  if (isIPv6(address)) {
    const digits = ipv6Bytes(address).flatMap((byte) => [...byte.toString(16).padStart(2, '0')]);
    return `${digits.reverse().join('.')}.ip6.arpa`;
  }
  return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
}
