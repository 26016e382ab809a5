// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type { Dialer } from '@operator-parts/etcd';
import { RestoreError } from '../restore-error.ts';

/**
 * The identity of the member at an address is checked on the first connection. More connections, for example the one for a snapshot, are
 * opened only while the first connection is open: afterwards the address may belong to another cluster.
 */
export function dialWhileConnected(dial: Dialer): Dialer {
  let first: Promise<Duplex> | undefined;
  return async (...target) => {
    if (!first) {
      first = dial(...target);
      return first;
    }
    const known = await first;
    if (known.destroyed) throw new RestoreError('NotDelivered', 'the connection to the member was lost');
    return dial(...target);
  };
}
