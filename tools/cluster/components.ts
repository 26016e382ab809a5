// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { certificateFiles } from './certificates.ts';
import { inside } from './configuration.ts';
import { addresses, type Layout } from './layout.ts';

export type ComponentName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'containerd'
  | 'kubelet'
  | 'kube-proxy';

/** Flags of each component. Ports are the usual ones: the cluster has its own network. */
export function componentFlags(layout: Layout): Readonly<Record<ComponentName, readonly string[]>> {
  const kubeconfig = (name: string) => `--kubeconfig=${join(layout.configuration, `${name}.kubeconfig`)}`;
  return {
    etcd: [
      `--data-dir=${layout.etcd}`,
      '--listen-client-urls=http://127.0.0.1:2379',
      '--advertise-client-urls=http://127.0.0.1:2379',
      // The data is removed with the cluster: it need not survive a power failure.
      '--unsafe-no-fsync',
    ],
    'kube-apiserver': apiServerFlags(layout),
    'kube-controller-manager': [
      kubeconfig('kube-controller-manager'),
      `--service-account-private-key-file=${join(layout.certificates, 'service-account.key')}`,
      `--root-ca-file=${certificateFiles(layout.certificates, 'ca').certificate}`,
      '--use-service-account-credentials=true',
      '--leader-elect=false',
    ],
    'kube-scheduler': [kubeconfig('kube-scheduler'), '--leader-elect=false'],
    containerd: [`--config=${join(layout.configuration, 'containerd.toml')}`],
    kubelet: [
      kubeconfig('kubelet'),
      `--config=${join(layout.configuration, 'kubelet.json')}`,
      `--hostname-override=${addresses.nodeName}`,
      `--node-ip=${addresses.node}`,
      `--root-dir=${inside.kubeletRoot}`,
      `--cert-dir=${join(inside.kubeletRoot, 'pki')}`,
    ],
    'kube-proxy': [
      kubeconfig('kube-proxy'),
      `--hostname-override=${addresses.nodeName}`,
      '--proxy-mode=iptables',
      `--cluster-cidr=${addresses.pods}`,
      // The limit belongs to the whole machine and is not changed.
      '--conntrack-max-per-core=0',
    ],
  };
}

function apiServerFlags({ certificates, configuration, logs }: Layout): readonly string[] {
  const server = certificateFiles(certificates, 'kube-apiserver');
  const toKubelet = certificateFiles(certificates, 'kube-apiserver-to-kubelet');
  const serviceAccountKey = join(certificates, 'service-account.key');
  return [
    '--etcd-servers=http://127.0.0.1:2379',
    `--advertise-address=${addresses.node}`,
    '--secure-port=6443',
    `--service-cluster-ip-range=${addresses.services}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    // The node's name is in no DNS.
    '--kubelet-preferred-address-types=InternalIP',
    `--client-ca-file=${certificateFiles(certificates, 'ca').certificate}`,
    `--tls-cert-file=${server.certificate}`,
    `--tls-private-key-file=${server.key}`,
    `--kubelet-client-certificate=${toKubelet.certificate}`,
    `--kubelet-client-key=${toKubelet.key}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${serviceAccountKey}`,
    `--service-account-signing-key-file=${serviceAccountKey}`,
    `--audit-policy-file=${join(configuration, 'audit-policy.json')}`,
    `--audit-log-path=${join(logs, 'audit.log')}`,
    '--profiling=false',
  ];
}

/** The clients of the API server, and their users. */
export const clients = [
  { name: 'admin', commonName: 'admin', organization: 'system:masters' },
  { name: 'kube-controller-manager', commonName: 'system:kube-controller-manager' },
  { name: 'kube-scheduler', commonName: 'system:kube-scheduler' },
  { name: 'kube-proxy', commonName: 'system:kube-proxy' },
  { name: 'kubelet', commonName: `system:node:${addresses.nodeName}`, organization: 'system:nodes' },
] as const;

/** The user of the API server at the kubelet: logs, exec, port-forward. */
export const apiServerAsClient = {
  name: 'kube-apiserver-to-kubelet',
  commonName: 'kube-apiserver',
  organization: 'system:masters',
} as const;

export const apiServerCertificate = {
  name: 'kube-apiserver',
  commonName: 'kube-apiserver',
  hosts: [
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    `kubernetes.default.svc.${addresses.domain}`,
    'localhost',
    '127.0.0.1',
    addresses.node,
    addresses.apiServer,
  ],
} as const;
