// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memberPorts } from '@etcd-operator/operator';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { repositoryRoot } from '../repository-root.ts';
import { type Endpoint, mayConnect, type NetworkPolicy } from './testing/may-connect.ts';

type Read = NetworkPolicy & { readonly kind: string };

/** The policies of a file, in this namespace if they name none. */
function policiesIn(file: string, namespace: string): readonly NetworkPolicy[] {
  return parseAllDocuments(readFileSync(join(repositoryRoot, file), 'utf8'))
    .map((document) => document.toJS() as Read | null)
    .filter((object) => object?.kind === 'NetworkPolicy')
    .map((object) => object as Read)
    .map(({ metadata, ...rest }) => ({ ...rest, metadata: { namespace, ...metadata } }));
}

/** The namespace of clusters: the files are for any namespace, the chart in the expected form has its own. */
const installations = {
  'the files': {
    operator: 'etcd-operator',
    clusters: 'shop',
    labels: { name: 'etcd-operator' },
    metrics: '8080',
    policies: [
      ...policiesIn('deploy/install.yaml', ''),
      ...policiesIn('deploy/network-policies/operator-egress.yaml', ''),
      ...policiesIn('deploy/network-policies/members.yaml', 'shop'),
    ],
  },
  'the chart with everything on': {
    operator: 'etcd',
    clusters: 'etcd',
    labels: {
      'app.kubernetes.io/name': 'etcd-operator',
      'app.kubernetes.io/instance': 'etcd',
      'app.kubernetes.io/part-of': 'etcd-operator',
    },
    metrics: '8443',
    policies: policiesIn('test/e2e/golden/chart-everything.yaml', ''),
  },
} as const;

describe.each(Object.entries(installations))('%s', (which, { operator: home, clusters, labels, metrics, policies }) => {
  const pod = (namespace: string, ofPod: Readonly<Record<string, string>>, ofNamespace = {}): Endpoint => ({
    ip: '10.1.0.9',
    pod: { namespace, labels: ofPod, namespaceLabels: ofNamespace, portNames: { http: 8080, metrics: 8443 } },
  });
  const who = {
    operator: pod(home, labels),
    member: pod(clusters, { app: 'etcd', etcd_cluster: 'a', etcd_node: 'a-1' }),
    'restored member': pod(clusters, { etcd_cluster: 'a', etcd_node: 'a-2' }),
    'member elsewhere': pod('other', { app: 'etcd', etcd_cluster: 'b' }),
    client: pod(clusters, { app: 'web' }),
    tenant: pod('other', { app: 'web' }),
    impostor: pod('other', labels),
    'impostor beside the members': pod('shop', { ...labels, 'app.kubernetes.io/instance': 'x' }),
    prometheus: pod('monitoring', {}, { metrics: 'enabled' }),
    'API server': { ip: '192.0.2.10' },
    store: { ip: '198.51.100.7' },
    'machine’s credentials': { ip: '169.254.169.254' },
    'machine’s credentials by IPv6': { ip: 'fd00:ec2::254' },
    dns: pod('kube-system', { 'k8s-app': 'kube-dns' }),
  } as const satisfies Readonly<Record<string, Endpoint>>;
  type Who = keyof typeof who;

  const allowed: readonly (readonly [Who, Who, string])[] = [
    ...(['client', 'metrics', 'snapshot', 'delivery'] as const).map(
      (port) => ['operator', 'member', String(memberPorts[port])] as const,
    ),
    ['operator', 'restored member', '2379'],
    ['operator', 'API server', '6443'],
    ['operator', 'store', '443'],
    ['operator', 'dns', '53/UDP'],
    ['operator', 'dns', '53'],
    ['member', 'member', '2380'],
    ['member', 'restored member', '2380'],
    ['restored member', 'member', '2380'],
    ['member', 'dns', '53/UDP'],
    ['client', 'member', '2379'],
    ['prometheus', 'operator', metrics],
  ];
  const denied: readonly (readonly [Who, Who, string])[] = [
    ...['2379', '2380', '2381', '2389', '19999'].flatMap((port) =>
      (['tenant', 'member elsewhere', 'impostor'] as const).map((from) => [from, 'member', port] as const),
    ),
    ...['2380', '2381', '2389', '19999'].flatMap((port) => [
      ['client', 'member', port] as const,
      ...(which === 'the files' ? [['impostor beside the members', 'member', port] as const] : []),
    ]),
    ['prometheus', 'member', '2379'],
    ['tenant', 'operator', '8080'],
    ['client', 'operator', '8080'],
    ['member', 'operator', '8080'],
    ['prometheus', 'operator', metrics === '8080' ? '8443' : '8080'],
    ['tenant', 'operator', metrics],
    ['operator', 'machine’s credentials', '80'],
    ['operator', 'machine’s credentials', '443'],
    ['operator', 'machine’s credentials by IPv6', '443'],
    ['operator', 'store', '80'],
    ['operator', 'tenant', '8080'],
    ['operator', 'member', '2380'],
    ['member', 'store', '443'],
    ['member', 'API server', '6443'],
    ['member', 'client', '8080'],
    ['member', 'member elsewhere', '2380'],
    ['member', 'machine’s credentials', '80'],
  ];

  test.each(allowed)('lets %s reach %s at %s', (from, to, port) => {
    expect(mayConnect(policies, who[from], who[to], port)).toBe(true);
  });

  test.each(denied)('does not let %s reach %s at %s', (from, to, port) => {
    expect(mayConnect(policies, who[from], who[to], port)).toBe(false);
  });
});

test('metrics of members are read from namespaces that are named, in the file and where the chart makes a PodMonitor, and from no other', () => {
  const { 'the files': files, 'the chart with everything on': chart } = installations;
  const reader: Endpoint = {
    ip: '10.1.0.9',
    pod: { namespace: 'monitoring', labels: {}, namespaceLabels: { metrics: 'enabled' } },
  };
  const member = (namespace: string): Endpoint => ({
    ip: '10.1.0.8',
    pod: { namespace, labels: { etcd_cluster: 'a' } },
  });
  const other: Endpoint = { ...reader, pod: { namespace: 'other', labels: {}, namespaceLabels: {} } };
  for (const { policies, clusters } of [files, chart]) {
    expect(mayConnect(policies, reader, member(clusters), '2381')).toBe(true);
    expect(mayConnect(policies, other, member(clusters), '2381')).toBe(false);
  }
});

test('without a policy everything is open, so that a table of nothing but refusals proves something', () => {
  const anybody: Endpoint = { ip: '10.1.0.9', pod: { namespace: 'other', labels: {} } };
  const member: Endpoint = { ip: '10.1.0.8', pod: { namespace: 'shop', labels: { etcd_cluster: 'a' } } };
  expect(mayConnect([], anybody, member, '2380')).toBe(true);
});
