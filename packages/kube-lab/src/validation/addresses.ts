// SPDX-License-Identifier: Apache-2.0
import { isIP } from 'node:net';

/** The validation errors of an IP address. */
export function ipErrors(address: string): readonly string[] {
  return isIP(address) === 0 ? ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'] : [];
}
