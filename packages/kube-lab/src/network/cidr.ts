// SPDX-License-Identifier: Apache-2.0

/** True if an IPv4 address lies in a range such as `10.244.1.0/24`. What is no address lies nowhere. */
export function inRange(address: string, range: string): boolean {
  const [base = '', bits = '32'] = range.split('/');
  const [one, other] = [numberOf(address), numberOf(base)];
  if (one === undefined || other === undefined) return false;
  const shift = 2 ** (32 - Number(bits));
  return Math.floor(one / shift) === Math.floor(other / shift);
}

function numberOf(address: string): number | undefined {
  // Sockets that listen for both families show IPv4 peers this way.
  const parts = address.replace(/^::ffff:/, '').split('.');
  if (parts.length !== 4 || parts.some((part) => !/^\d{1,3}$/.test(part) || Number(part) > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}
