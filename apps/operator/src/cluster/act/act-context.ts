// SPDX-License-Identifier: Apache-2.0
import type { Client } from '@operator-parts/kube';
import type { EtcdCluster } from '../../api/etcd-cluster.ts';
import type { Desired } from '../desired.ts';
import type { ClusterEtcd } from '../etcd/cluster-etcd.ts';
import type { TlsKeyStyles } from '../objects/tls-volumes.ts';
import type { EtcdMember } from '../observation.ts';

/** What a step needs when it is carried out. The plan has already made every decision. */
export interface ActContext {
  readonly client: Client;
  readonly cluster: EtcdCluster;
  readonly desired: Desired;
  readonly etcd: ClusterEtcd;
  /** The etcd cluster ID, the cluster's incarnation and the member list that the plan is based on. */
  readonly clusterId: string;
  readonly incarnation: number;
  readonly members: readonly EtcdMember[];
  /** UIDs of the pods and PersistentVolumeClaims that the plan is based on. */
  readonly seen: ReadonlySet<string>;
  readonly tlsKeys: TlsKeyStyles;
  readonly signal: AbortSignal;
  /** Throws if this process must not change anything any more: the lease is lost, or the plan is too old (`PlanTooOld`). */
  readonly fence: () => void;
}

/**
 * How a step ended. `refused` is not a failure: etcd or Kubernetes rejected the request for now, and nothing was changed. The next
 * reconciliation observes and plans again.
 */
export type StepOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly why: string }
  /** Retrying does not help until a person changes something. */
  | { readonly kind: 'impossible'; readonly why: string };

export const done: StepOutcome = { kind: 'done' };
