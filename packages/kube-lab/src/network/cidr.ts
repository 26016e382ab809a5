// SPDX-License-Identifier: Apache-2.0
import { BlockList, isIP } from 'node:net';

/** True if an address is in a range such as `10.244.1.0/24` or `fd00:10:244:1::/64`. False for an invalid address. */
export function inRange(address: string, range: string): boolean {
  const [base = '', bits] = range.split('/');
  // Sockets that listen for both families show an IPv4 peer as `::ffff:10.244.1.2`.
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  const family = isIP(base);
  if (family === 0 || isIP(plain) !== family) return false;
  const list = new BlockList();
  const kind = family === 6 ? 'ipv6' : 'ipv4';
  list.addSubnet(base, Number(bits ?? (family === 6 ? 128 : 32)), kind);
  return list.check(plain, kind);
}
