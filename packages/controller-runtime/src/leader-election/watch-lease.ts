// SPDX-License-Identifier: Apache-2.0
import { type Client, type Lease, leases } from '@operator-parts/kube';
import type { Clock, Logger, Random } from '@operator-parts/ports';
import { Informer } from '../informer/informer.ts';

export interface WatchLeaseOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly leaseName: string;
  readonly leaseNamespace: string;
}

interface LeaseListener {
  /** Called with an observed state of the lease. */
  seen(lease: Lease): void;
  /** The lease was deleted. */
  gone(): void;
}

/** Reports every change of one lease until disposed. Without the permission to watch, nothing is reported. */
export function watchLease(options: WatchLeaseOptions, listener: LeaseListener): Disposable {
  const { leaseName, leaseNamespace, client } = options;
  const end = new AbortController();
  const informer = new Informer({
    ...options,
    resource: leases,
    reader: client.resource(leases),
    namespace: leaseNamespace,
    fieldSelector: `metadata.name=${leaseName}`,
  });
  // A server that ignores the field selector could send another lease.
  const isOurs = ({ metadata }: Lease) => metadata?.name === leaseName;
  const seen = (lease: Lease) => {
    if (isOurs(lease)) listener.seen(lease);
  };
  informer.addHandler({
    added: seen,
    updated: (_, lease) => seen(lease),
    removed: (lease) => {
      if (isOurs(lease)) listener.gone();
    },
  });
  void informer.run(end.signal);
  return { [Symbol.dispose]: () => end.abort() };
}
