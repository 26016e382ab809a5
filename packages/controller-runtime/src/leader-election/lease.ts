// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, Resource } from '@etcd-operator/kube';

/** `coordination.k8s.io/v1` Lease, as far as leader election uses it. Times are MicroTime: exactly six digits. */
export interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

export const leaseResource: Resource<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

/** A time as `MicroTime` wants it. The API server refuses any other number of digits. */
export function microTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -1)}000Z`;
}
