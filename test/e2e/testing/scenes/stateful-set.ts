// SPDX-License-Identifier: Apache-2.0

/**
 * etcd without an operator, as fast as Kubernetes can start it: a StatefulSet whose pods start concurrently with a
 * static member list. The additional time of an operator is the price of its safety (benchmark B9).
 */
export function etcdStatefulSet(name: string, namespace: string, image: string, size = 3): readonly object[] {
  const labels = { 'bench-etcd': name };
  const host = (member: string) => `${member}.${name}.${namespace}.svc.cluster.local`;
  const members = Array.from({ length: size }, (_, index) => `${name}-${index}`);
  const flags = [
    '--name=$(POD)',
    '--data-dir=/var/etcd/data',
    '--listen-client-urls=http://0.0.0.0:2379',
    '--listen-peer-urls=http://0.0.0.0:2380',
    `--advertise-client-urls=http://${host('$(POD)')}:2379`,
    `--initial-advertise-peer-urls=http://${host('$(POD)')}:2380`,
    `--initial-cluster=${members.map((member) => `${member}=http://${host(member)}:2380`).join(',')}`,
    '--initial-cluster-state=new',
  ];
  const ports = [
    { name: 'client', port: 2379 },
    { name: 'peer', port: 2380 },
  ];
  const pod = { fieldRef: { fieldPath: 'metadata.name' } };
  const container = {
    name: 'etcd',
    image,
    command: ['/usr/local/bin/etcd', ...flags],
    env: [{ name: 'POD', valueFrom: pod }],
    volumeMounts: [{ name: 'data', mountPath: '/var/etcd' }],
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  };
  const securityContext = {
    runAsNonRoot: true,
    runAsUser: 1000,
    fsGroup: 1000,
    seccompProfile: { type: 'RuntimeDefault' },
  };
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: labels, ports },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name },
      spec: {
        serviceName: name,
        replicas: size,
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { securityContext, containers: [container], volumes: [{ name: 'data', emptyDir: {} }] },
        },
      },
    },
  ];
}
