// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type { Dialer } from '@etcd-operator/etcd';
import { RestoreError } from '../restore-error.ts';

/**
 * Who is at an address is asked on the first connection. Others are opened only while that one lasts (a snapshot has one of its own):
 * afterwards the address may be that of another cluster.
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
