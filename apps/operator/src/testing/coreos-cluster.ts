// SPDX-License-Identifier: Apache-2.0
/** Objects as v0.9.4 of CoreOS etcd-operator creates them, written by hand from its known behaviour. */
import type { Container, Pod, Service } from '@operator-parts/kube';

/** The cluster that the objects belong to. */
export interface CoreosCluster {
  readonly name: string;
  readonly namespace: string;
  /** UID of the EtcdCluster, which owns all objects. */
  readonly uid: string;
  readonly version: string;
  readonly members: readonly string[];
  /**
   * If set, pods wait until their name resolves. The lookup of the old busybox used the search domains of the pod, that of the present
   * busybox does not. @default pods do not wait
   */
  readonly domain?: string;
}

const labelsOf = ({ name }: CoreosCluster) => ({ app: 'etcd', etcd_cluster: name });
const addressOf = ({ name, namespace }: CoreosCluster, member: string) => `${member}.${name}.${namespace}.svc`;
const ownersOf = ({ name, uid }: CoreosCluster) => [
  { apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdCluster', name, uid, controller: true },
];

/**
 * The two Services of the cluster. The annotation, which published the names of pods that are not Ready, is ignored by present Kubernetes
 * versions. The field `publishNotReadyAddresses` replaces the annotation while the members start.
 */
export function coreosServices(cluster: CoreosCluster): readonly Service[] {
  const annotations = { 'service.alpha.kubernetes.io/tolerate-unready-endpoints': 'true' };
  const client = { name: 'client', port: 2379, targetPort: 2379, protocol: 'TCP' } as const;
  const peer = { name: 'peer', port: 2380, targetPort: 2380, protocol: 'TCP' } as const;
  const service = (name: string, spec: Service['spec']): Service => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      ...{ name, namespace: cluster.namespace, annotations },
      ...{ labels: labelsOf(cluster), ownerReferences: ownersOf(cluster) },
    },
    spec: { selector: labelsOf(cluster), ...spec },
  });
  return [
    service(cluster.name, { clusterIP: 'None', ports: [client, peer], publishNotReadyAddresses: true }),
    service(`${cluster.name}-client`, { ports: [client] }),
  ];
}

/** A member's pod: never restarted, with a shell as its probe, and with fixed arguments in its command line. */
export function coreosPod(cluster: CoreosCluster, member: string): Pod {
  const wait = `while ( ! nslookup ${addressOf(cluster, member)}.${cluster.domain} ); do sleep 1; done`;
  const check = { name: 'check-dns', image: 'busybox:1.28.0-glibc', command: ['/bin/sh', '-c', wait] };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: member,
      namespace: cluster.namespace,
      labels: { ...labelsOf(cluster), etcd_node: member },
      annotations: { 'etcd.version': cluster.version },
      ownerReferences: ownersOf(cluster),
    },
    spec: {
      hostname: member,
      subdomain: cluster.name,
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      ...(cluster.domain !== undefined && { initContainers: [check] }),
      containers: [etcdContainer(cluster, member)],
      volumes: [{ name: 'etcd-data', emptyDir: {} }],
    },
  };
}

function etcdContainer(cluster: CoreosCluster, member: string): Container {
  const host = addressOf(cluster, member);
  const initial = cluster.members.map((name) => `${name}=http://${addressOf(cluster, name)}:2380`).join(',');
  const exec = { command: ['/bin/sh', '-ec', 'ETCDCTL_API=3 etcdctl endpoint status'] };
  return {
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
      '--initial-cluster-token=0d1e8c5f-7a11-4b8e-9a35-5a7d2b1c1d6f',
    ],
    ports: [
      { name: 'server', containerPort: 2380, protocol: 'TCP' },
      { name: 'client', containerPort: 2379, protocol: 'TCP' },
    ],
    volumeMounts: [{ name: 'etcd-data', mountPath: '/var/etcd' }],
    livenessProbe: { exec, initialDelaySeconds: 10, timeoutSeconds: 10, periodSeconds: 60, failureThreshold: 3 },
    readinessProbe: { exec, initialDelaySeconds: 1, timeoutSeconds: 5, periodSeconds: 5, failureThreshold: 3 },
  };
}
