// SPDX-License-Identifier: Apache-2.0
import type { Pod, Service } from '@etcd-operator/kube';

/** Which cluster the original operator's objects belong to. */
export interface OriginalCluster {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  readonly members: readonly string[];
}

const owner = ({ name, uid }: OriginalCluster) => [
  { apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdCluster', name, uid, controller: true },
];
const labelsOf = ({ name }: OriginalCluster) => ({ app: 'etcd', etcd_cluster: name });
const address = (member: string, { name }: OriginalCluster) => `${member}.${name}.default.svc`;

/** The two Services as v0.9.4 leaves them: no `publishNotReadyAddresses`, an annotation that nobody reads any more. */
export function originalServices(cluster: OriginalCluster): readonly Service[] {
  const annotations = { 'service.alpha.kubernetes.io/tolerate-unready-endpoints': 'true' };
  const head = (name: string) => ({
    name,
    namespace: 'default',
    labels: labelsOf(cluster),
    annotations,
    ownerReferences: owner(cluster),
  });
  const client = { name: 'client', port: 2379, targetPort: 2379, protocol: 'TCP' } as const;
  const peer = { name: 'peer', port: 2380, targetPort: 2380, protocol: 'TCP' } as const;
  return [
    { metadata: head(cluster.name), spec: { clusterIP: 'None', ports: [client, peer], selector: labelsOf(cluster) } },
    { metadata: head(`${cluster.name}-client`), spec: { ports: [client], selector: labelsOf(cluster) } },
  ];
}

/** A member's pod as v0.9.4 leaves it: restart policy Never, a shell probe, boot values fixed in its command line. */
export function originalPod(cluster: OriginalCluster, member: string): Pod {
  const host = address(member, cluster);
  const initial = cluster.members.map((name) => `${name}=http://${address(name, cluster)}:2380`).join(',');
  const probe = {
    exec: { command: ['/bin/sh', '-ec', 'ETCDCTL_API=3 etcdctl endpoint status'] },
    timeoutSeconds: 5,
    periodSeconds: 5,
  };
  return {
    metadata: {
      name: member,
      namespace: 'default',
      labels: { ...labelsOf(cluster), etcd_node: member },
      annotations: { 'etcd.version': cluster.version },
      ownerReferences: owner(cluster),
    },
    spec: {
      hostname: member,
      subdomain: cluster.name,
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      containers: [
        {
          name: 'etcd',
          image: `quay.io/coreos/etcd:v${cluster.version}`,
          command: [
            '/usr/local/bin/etcd',
            '--data-dir=/var/etcd/data',
            `--name=${member}`,
            `--initial-advertise-peer-urls=http://${host}:2380`,
            '--listen-peer-urls=http://0.0.0.0:2380',
            '--listen-client-urls=http://0.0.0.0:2379',
            `--advertise-client-urls=http://${host}:2379`,
            `--initial-cluster=${initial}`,
            '--initial-cluster-state=new',
            '--initial-cluster-token=5a7d2b1c-1d6f-4b8e-9a35-0d1e8c5f7a11',
          ],
          ports: [
            { name: 'server', containerPort: 2380, protocol: 'TCP' },
            { name: 'client', containerPort: 2379, protocol: 'TCP' },
          ],
          volumeMounts: [{ name: 'etcd-data', mountPath: '/var/etcd' }],
          livenessProbe: {
            ...probe,
            initialDelaySeconds: 10,
            timeoutSeconds: 10,
            periodSeconds: 60,
            failureThreshold: 3,
          },
          readinessProbe: { ...probe, initialDelaySeconds: 1, failureThreshold: 3 },
        },
      ],
      volumes: [{ name: 'etcd-data', emptyDir: {} }],
    },
  };
}
