// SPDX-License-Identifier: Apache-2.0
import type { Node, NodeCondition, Taint } from '@operator-parts/kube';
import type { Addresses } from '../network/addresses.ts';
import { timestamp } from './timestamp.ts';

/** The properties of a node that its Node object shows. */
export interface NodeDescription {
  readonly name: string;
  readonly addresses: Addresses;
  readonly podRanges: Addresses;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly capacity: Readonly<Record<string, string>>;
  readonly bootId: string;
}

const pressures = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const;

/** The Node object, as its kubelet registers it. */
export function nodeObject(node: NodeDescription): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: node.name,
      labels: {
        'beta.kubernetes.io/arch': architecture(),
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': architecture(),
        'kubernetes.io/hostname': node.name,
        'kubernetes.io/os': 'linux',
        ...node.labels,
      },
    },
    spec: {
      podCIDR: node.podRanges[0],
      podCIDRs: node.podRanges,
      ...(node.taints.length > 0 ? { taints: node.taints } : {}),
    },
  };
}

/** The status of a healthy node. Transition times are kept for unchanged conditions. */
export function nodeStatus(node: NodeDescription, now: number, before: Node['status']): NonNullable<Node['status']> {
  const conditions: NodeCondition[] = [
    ...pressures.map(([type, reason, message]) => ({ type, status: 'False', reason, message })),
    { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
  ].map((condition) => {
    const old = before?.conditions?.find(({ type }) => type === condition.type);
    const since = old?.status === condition.status ? old.lastTransitionTime : undefined;
    return { ...condition, lastHeartbeatTime: timestamp(now), lastTransitionTime: since ?? timestamp(now) };
  });
  return {
    capacity: node.capacity,
    allocatable: node.capacity,
    conditions,
    addresses: [
      ...node.addresses.map((address) => ({ type: 'InternalIP' as const, address })),
      { type: 'Hostname', address: node.name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      architecture: architecture(),
      bootID: node.bootId,
      containerRuntimeVersion: 'containerd://2.0.0',
      kernelVersion: 'kube-lab',
      kubeProxyVersion: '',
      kubeletVersion: 'v1.36.3',
      machineID: node.name,
      operatingSystem: 'linux',
      osImage: 'kube-lab',
      systemUUID: node.name,
    },
  };
}

function architecture(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch;
}
