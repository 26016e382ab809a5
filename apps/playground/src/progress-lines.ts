// SPDX-License-Identifier: Apache-2.0

import type { Lab } from '@etcd-operator/kube-lab';
import { type EtcdCluster, etcdClusters } from '@etcd-operator/operator';

export interface ProgressOptions {
  readonly lab: Lab;
  readonly cluster: EtcdCluster;
  readonly write: (line: string) => void;
  readonly seconds: () => string;
  readonly once: boolean;
  readonly signal: AbortSignal;
}

/** Says in plain lines what becomes of a cluster; ends when it is available if `once`, else with the signal. */
export async function reportProgress({ lab, cluster, write, seconds, once, signal }: ProgressOptions): Promise<void> {
  const { name = '', namespace = '' } = cluster.metadata ?? {};
  let last = '';
  const watch = lab
    .client()
    .resource(etcdClusters.resource)
    .watch({
      namespace,
      fieldSelector: `metadata.name=${name}`,
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      signal,
    });
  for await (const event of watch) {
    if (event.type === 'BOOKMARK') continue;
    const text = describe(event.object);
    if (text !== last) write(`${seconds()} s  ${text}`);
    last = text;
    if (isAvailable(event.object) && once) return;
    if (isAvailable(event.object)) write(hints(lab));
  }
}

function isAvailable({ status }: EtcdCluster): boolean {
  return (
    status?.conditions?.some((condition) => condition.type === 'Available' && condition.status === 'True') ?? false
  );
}

function describe({ status, spec }: EtcdCluster): string {
  const members = status?.memberDetails?.map(
    (member) => `${member.name} ${member.role?.toLowerCase()}${member.healthy ? '' : ' (not healthy)'}`,
  );
  const words = [...(status?.plan?.next ?? []), ...(status?.plan?.waitingFor ?? [])];
  return `${status?.phase ?? 'new'} ${status?.readySize ?? 0}/${spec.size}  ${members?.join(', ') ?? ''}${words.length > 0 ? `  | ${words.join('; ')}` : ''}`;
}

function hints(lab: Lab): string {
  return `\n  export KUBECONFIG=${lab.kubeconfigPath}\n  kubectl get etcd,pods,services\n\nCtrl-C ends everything.`;
}
