// SPDX-License-Identifier: Apache-2.0

import { leaseName, programNames } from '@etcd-operator/operator';
import { isKubeError, type Lease, leases } from '@operator-parts/kube';
import type { Access } from './access.ts';

/** The present or last holder of a Lease. */
export interface RunningOperator {
  readonly program: string;
  readonly namespace: string;
  /** What it manages: `all namespaces`, or the namespace of its Lease. */
  readonly manages: string;
  /** The active pod; empty if it released the Lease. */
  readonly holder: string;
  /** Seconds since it last renewed the Lease, by this machine's clock. */
  readonly renewed: number | undefined;
  readonly isAlive: boolean;
}

/**
 * The running operators, according to their Leases. Users who may not read the Leases of all namespaces see those of
 * one.
 */
export async function runningOperators({
  client,
  namespace,
  clock,
  signal,
}: Access): Promise<readonly RunningOperator[]> {
  const read = client.resource(leases);
  const { items } = await read
    .list({ signal })
    .catch((error: unknown) => {
      if (!isKubeError(error, 'Forbidden')) throw error;
      return read.list({ namespace, signal });
    })
    .catch((error: unknown) => {
      if (!isKubeError(error, 'Forbidden')) throw error;
      return { items: [] };
    });
  return items.flatMap((lease) => operatorOf(lease, clock.now()));
}

function operatorOf({ metadata = {}, spec = {} }: Lease, now: number): readonly RunningOperator[] {
  const { name = '', namespace = '' } = metadata;
  for (const program of programNames) {
    const isClusterWide = name === leaseName(program, true);
    if (!isClusterWide && name !== leaseName(program, false)) continue;
    const { holderIdentity: holder = '', renewTime, leaseDurationSeconds = 15 } = spec;
    const renewed = typeof renewTime !== 'string' ? undefined : Math.max(0, (now - Date.parse(renewTime)) / 1000);
    const isAlive = holder !== '' && renewed !== undefined && renewed < leaseDurationSeconds;
    const manages = isClusterWide ? 'all namespaces' : `namespace ${namespace}`;
    return [{ program, namespace, manages, holder, renewed, isAlive }];
  }
  return [];
}
