// SPDX-License-Identifier: Apache-2.0
/** Who may talk to whom: the operator, the members of its clusters, their clients, and whoever reads metrics. */
import { memberPorts } from '@etcd-operator/operator';
import { labels, type Manifest, name, podLabels, portName } from './operator-objects.ts';

/** Kubernetes gives every namespace this label. */
const namespaceName = 'kubernetes.io/metadata.name';

/** Namespaces that carry it may read metrics; the name is that of the kubebuilder projects. */
const metricsReaders = { namespaceSelector: { matchLabels: { metrics: 'enabled' } } } as const;

/**
 * By the one label that all of them have: a restore takes `app` off the members of the previous incarnation, and a new one gets it
 * when its data is proven.
 */
const members = { matchExpressions: [{ key: 'etcd_cluster', operator: 'Exists' }] } as const;

/** Of the operator at members: all but the port by which they talk to each other. */
const forOperators = [memberPorts.client, memberPorts.metrics, memberPorts.snapshot, memberPorts.delivery] as const;

const dns = { ports: [port(53, 'UDP'), port(53)] };

/** Everything but the machine's own services: those that hand out credentials are there. */
const outside = [
  { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } },
  { ipBlock: { cidr: '::/0', except: ['fe80::/10', 'fd00:ec2::/32'] } },
] as const;

/** Where API servers and stores listen. */
const outsidePorts = [443, 6443] as const;

/** Nobody reaches the operator but readers of its metrics; probes come from its node, which policies do not count for. */
export function operatorIngress(): Manifest {
  return policy(name, { podSelector: { matchLabels: podLabels } }, [
    { from: [metricsReaders], ports: [{ port: portName }] },
  ]);
}

/** The operator reaches names, API servers and stores, and members in all namespaces. */
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

/** For a namespace with clusters: peers reach each other, clients of the namespace the clients' port, the operator what it needs. */
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
