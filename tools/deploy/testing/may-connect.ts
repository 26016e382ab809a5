// SPDX-License-Identifier: Apache-2.0
/**
 * Evaluates NetworkPolicies by their definition: a pod without a policy for a direction is open in it; otherwise only
 * the rules of its policies allow connections. No traffic is sent; whether a network plug-in enforces them is not
 * tested here.
 */
import { BlockList } from 'node:net';

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: string[];
  }[];
}

interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

interface Port {
  readonly port: number | string;
  readonly protocol?: string;
}

interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly Port[];
}

export interface NetworkPolicy {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly ('Ingress' | 'Egress')[];
    readonly ingress?: readonly Rule[];
    readonly egress?: readonly Rule[];
  };
}

/** A pod, or an address outside of the cluster. */
export interface Endpoint {
  readonly ip: string;
  readonly pod?: {
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly namespaceLabels?: Readonly<Record<string, string>>;
    readonly portNames?: Readonly<Record<string, number>>;
  };
}

/** True if a connection to a port is allowed. @param port such as `2379`, or `53/UDP` */
export function mayConnect(policies: readonly NetworkPolicy[], from: Endpoint, to: Endpoint, port: string): boolean {
  const [number = '', protocol = 'TCP'] = port.split('/');
  const fits = (rule: Rule, peers: readonly Peer[] | undefined, other: Endpoint, home: string) =>
    (!peers || peers.some((peer) => isPeer(peer, other, home))) && isPort(rule, Number(number), protocol, to);
  const goes = (direction: 'Ingress' | 'Egress', of: Endpoint, other: Endpoint) => {
    const selecting = policies.filter(({ spec }) => spec.policyTypes.includes(direction)).filter(selects(of));
    if (selecting.length === 0) return true;
    return selecting.some(({ metadata, spec }) =>
      (direction === 'Ingress' ? spec.ingress : spec.egress)?.some((rule) =>
        fits(rule, direction === 'Ingress' ? rule.from : rule.to, other, metadata.namespace ?? ''),
      ),
    );
  };
  return goes('Egress', from, to) && goes('Ingress', to, from);
}

function selects({ pod }: Endpoint) {
  return ({ metadata, spec }: NetworkPolicy) =>
    pod !== undefined && metadata.namespace === pod.namespace && matches(spec.podSelector, pod.labels);
}

function isPort({ ports }: Rule, number: number, protocol: string, { pod }: Endpoint): boolean {
  if (!ports) return true;
  const numberOf = (port: number | string) => (typeof port === 'number' ? port : pod?.portNames?.[port]);
  return ports.some((port) => numberOf(port.port) === number && (port.protocol ?? 'TCP') === protocol);
}

function isPeer({ podSelector, namespaceSelector, ipBlock }: Peer, { ip, pod }: Endpoint, home: string): boolean {
  // Whether an address block includes pods depends on the plug-in: here it does, so that nothing is denied by accident.
  if (ipBlock) return isIn([ipBlock.cidr], ip) && !isIn(ipBlock.except ?? [], ip);
  if (!pod) return false;
  const { namespace, labels, namespaceLabels } = pod;
  const here = { 'kubernetes.io/metadata.name': namespace, ...namespaceLabels };
  const isPlace = namespaceSelector ? matches(namespaceSelector, here) : namespace === home;
  return isPlace && (!podSelector || matches(podSelector, labels));
}

function matches({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Readonly<Record<string, string>>) {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      if (operator === 'In') return value !== undefined && values.includes(value);
      if (operator === 'NotIn') return value === undefined || !values.includes(value);
      throw new Error(`no such operator: ${operator}`);
    })
  );
}

function isIn(blocks: readonly string[], ip: string): boolean {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = '', bits = ''] = block.split('/');
    // A block of IPv6 addresses would also contain IPv4-mapped addresses.
    if (familyOf(address) === familyOf(ip)) list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list.check(ip, familyOf(ip));
}

const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');
