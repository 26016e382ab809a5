// SPDX-License-Identifier: Apache-2.0
import type { Client } from '@etcd-operator/kube';
import type { EtcdCluster } from '../../api/etcd-cluster.ts';
import type { Desired } from '../desired.ts';
import type { ClusterEtcd } from '../etcd/cluster-etcd.ts';
import type { TlsKeyStyles } from '../objects/tls-volumes.ts';
import type { EtcdMember } from '../observation.ts';

/** What carrying out a step may use. Every decision has been taken; nothing here is looked at again. */
export interface ActContext {
  readonly client: Client;
  readonly cluster: EtcdCluster;
  readonly desired: Desired;
  readonly etcd: ClusterEtcd;
  /** etcd's cluster ID, the cluster's incarnation, and the member list the plan was made on. */
  readonly clusterId: string;
  readonly incarnation: number;
  readonly members: readonly EtcdMember[];
  /** UIDs of the pods and volume claims that the plan was made on. */
  readonly seen: ReadonlySet<string>;
  readonly tlsKeys: TlsKeyStyles;
  readonly signal: AbortSignal;
  /** Throws if nothing may be changed any more: the lease is lost, or the plan is too old (`PlanTooOld`). */
  readonly fence: () => void;
}

/**
 * How a step ended. `refused` is an answer, not a failure: etcd or Kubernetes said "not now", nothing was changed, and the
 * next plan is made from what is observed then.
 */
export type StepOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly why: string }
  /** It stays so until a person changes something. */
  | { readonly kind: 'impossible'; readonly why: string };

export const done: StepOutcome = { kind: 'done' };
