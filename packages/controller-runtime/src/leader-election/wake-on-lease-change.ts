// SPDX-License-Identifier: Apache-2.0
import { type Client, type Lease, leases } from '@etcd-operator/kube';
import type { Clock, Logger, Random } from '@etcd-operator/ports';
import { Informer } from '../informer/informer.ts';

interface WakeOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly leaseName: string;
  readonly leaseNamespace: string;
}

/** Ends waits early. */
export interface Wake extends Disposable {
  /** A signal that is aborted at the next change of the lease, or when waiting as a whole is called off. */
  next(): AbortSignal;
}

/**
 * Watches the lease, so that a candidate takes over the moment it is released instead of at its next try. Merely quicker: if
 * it is not allowed to watch, the tries go on all the same.
 *
 * @param onLease called with every state of the lease that is seen
 */
export function wakeOnLeaseChange(options: WakeOptions, signal: AbortSignal, onLease: (lease: Lease) => void): Wake {
  const { leaseName, leaseNamespace, client } = options;
  const end = new AbortController();
  let current = new AbortController();
  const informer = new Informer({
    ...options,
    resource: leases,
    reader: client.resource(leases),
    namespace: leaseNamespace,
    fieldSelector: `metadata.name=${leaseName}`,
  });
  const look = (lease: Lease) => {
    onLease(lease);
    if (!lease.spec?.holderIdentity) current.abort();
  };
  informer.addHandler({
    added: look,
    updated: (_, lease) => look(lease),
    removed: () => current.abort(),
  });
  const finish = () => {
    end.abort();
    current.abort();
  };
  signal.addEventListener('abort', finish, { once: true });
  void informer.run(end.signal);
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
