// SPDX-License-Identifier: Apache-2.0
import { type EtcdCluster, kubernetesView, type Observation } from '@etcd-operator/operator';

/** The observation of a cluster that does not exist yet. */
export function newClusterObservation(cluster: EtcdCluster): Observation {
  const nothing = { pods: [], imageChecks: [], volumes: [], nodes: new Map() };
  const absent = { peerService: undefined, clientService: undefined, budget: undefined };
  const view = kubernetesView(
    { cluster, ...nothing, ...absent },
    {
      credentials: { tls: undefined, login: undefined },
      secretProblems: [],
      coreosOperator: undefined,
      imageCheckOutput: new Map(),
      isLive: true,
      seenSince: () => 1,
    },
  );
  const membership = { kind: 'unknown', why: 'there is no member yet' } as const;
  return { ...view, etcd: { membership, clusterVersion: '', answers: new Map(), heard: new Map(), hashes: new Map() } };
}
