// SPDX-License-Identifier: Apache-2.0
/** Allowed connections between the operator, the members of its clusters, their clients, and readers of metrics. */
import { memberPorts } from '@etcd-operator/operator';
import { labels, type Manifest, name, podLabels, portName } from './operator-objects.ts';

/** Kubernetes gives every namespace this label. */
const namespaceName = 'kubernetes.io/metadata.name';

/** Namespaces with this label may read metrics; the name is that of the kubebuilder projects. */
const metricsReaders = { namespaceSelector: { matchLabels: { metrics: 'enabled' } } } as const;

/**
 * Selected by the one label that all of them have: a restore removes `app` from members of the previous incarnation,
 * and a new one gets it when its data is verified.
 */
const members = { matchExpressions: [{ key: 'etcd_cluster', operator: 'Exists' }] } as const;

/** The operator at members: all ports except that for peers. */
const forOperators = [memberPorts.client, memberPorts.metrics, memberPorts.snapshot, memberPorts.delivery] as const;

const dns = { ports: [port(53, 'UDP'), port(53)] };

/** Everything except the machine's own services, which issue credentials. */
const outside = [
  { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } },
  { ipBlock: { cidr: '::/0', except: ['fe80::/10', 'fd00:ec2::/32'] } },
] as const;

/** The ports of API servers and stores. */
const outsidePorts = [443, 6443] as const;

/** Only readers of its metrics can reach the operator; policies do not apply to probes from its node. */
export function operatorIngress(): Manifest {
  return policy(name, { podSelector: { matchLabels: podLabels } }, [
    { from: [metricsReaders], ports: [{ port: portName }] },
  ]);
}

/** The operator can reach DNS, API servers and stores, and members in all namespaces. */
export function operatorEgress(): Manifest {
  const egress = [
    dns,
    { to: outside, ports: outsidePorts.map((number) => port(number)) },
    {
      to: [{ namespaceSelector: {}, podSelector: members }],
      ports: forOperators.map((number) => port(number)),
    },
  ];
  const manifest = policy(`${name}-egress`, { podSelector: { matchLabels: podLabels } }, undefined, egress);
  return { ...manifest, metadata: { ...manifest.metadata, namespace: name } };
}

/**
 * For a namespace with clusters: peers reach each other, clients in the namespace reach the client port, the operator
 * what it needs.
 */
export function memberPolicy(): Manifest {
  const operator = {
    namespaceSelector: { matchLabels: { [namespaceName]: name } },
    podSelector: { matchLabels: podLabels },
  };
  const ingress = [
    { from: [{ podSelector: members }], ports: [port(memberPorts.peer)] },
    { from: [operator], ports: forOperators.map((number) => port(number)) },
    { from: [{ podSelector: {} }], ports: [port(memberPorts.client)] },
    { from: [metricsReaders], ports: [port(memberPorts.metrics)] },
  ];
  const egress = [dns, { to: [{ podSelector: members }], ports: [port(memberPorts.peer)] }];
  return policy('etcd-members', { podSelector: members }, ingress, egress);
}

function port(number: number, protocol: 'TCP' | 'UDP' = 'TCP'): object {
  return { protocol, port: number };
}

function policy(
  called: string,
  selector: object,
  ingress: readonly object[] | undefined,
  egress?: readonly object[],
): Manifest {
  const policyTypes = [...(ingress ? ['Ingress'] : []), ...(egress ? ['Egress'] : [])];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: called, labels },
    spec: { ...selector, policyTypes, ...(ingress && { ingress }), ...(egress && { egress }) },
  };
}
