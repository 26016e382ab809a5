// SPDX-License-Identifier: Apache-2.0
import type { Lease } from '@operator-parts/kube';
import { type WatchLeaseOptions, watchLease } from './watch-lease.ts';

/** Ends waits early. */
export interface Wake extends Disposable {
  /** A signal that is aborted at the next change of the lease, or when the waiting is aborted. */
  next(): AbortSignal;
}

/**
 * Watches the lease, so that a candidate acquires it as soon as it is released instead of at its next attempt. Only an
 * optimisation: without the permission to watch, the attempts go on.
 *
 * @param onLease called with every observed state of the lease
 */
export function wakeOnLeaseChange(
  options: WatchLeaseOptions,
  signal: AbortSignal,
  onLease: (lease: Lease) => void,
): Wake {
  let current = new AbortController();
  const watch = watchLease(options, {
    seen: (lease) => {
      onLease(lease);
      if (!lease.spec?.holderIdentity) current.abort();
    },
    gone: () => current.abort(),
  });
  const finish = () => {
    watch[Symbol.dispose]();
    current.abort();
  };
  signal.addEventListener('abort', finish, { once: true });
  return {
    next() {
      current = new AbortController();
      if (signal.aborted) current.abort();
      return current.signal;
    },
    [Symbol.dispose]() {
      signal.removeEventListener('abort', finish);
      finish();
    },
  };
}
