// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { addresses, type Layout } from './layout.ts';

/** Paths as the cluster itself sees them: /run and /var/lib are its own. */
export const inside = {
  containerdSocket: '/run/containerd/containerd.sock',
  containerdRoot: '/var/lib/containerd',
  containerdState: '/run/containerd',
  kubeletRoot: '/var/lib/kubelet',
  /** Volumes of tests are created here. */
  volumes: '/var/lib/volumes',
} as const;

/** A configuration file and its content. */
export interface ConfigurationFile {
  readonly path: string;
  readonly text: string;
}

export interface ConfigurationOptions {
  readonly layout: Layout;
  /** Image of the pause container, which holds a pod's namespaces. */
  readonly pauseImage: string;
  /** Folder of the CNI plug-ins. */
  readonly cniDirectory: string;
}

/** Every file that the components read besides certificates and kubeconfigs. */
export function configurationFiles(options: ConfigurationOptions): readonly ConfigurationFile[] {
  const folder = options.layout.configuration;
  return [
    { path: join(folder, 'containerd.toml'), text: containerdConfiguration(options) },
    { path: join(folder, 'cni', '10-pods.conflist'), text: json(podNetwork) },
    { path: join(folder, 'kubelet.json'), text: json(kubeletConfiguration(options.layout)) },
    { path: join(folder, 'audit-policy.json'), text: json(auditPolicy) },
  ];
}

function containerdConfiguration({ layout, pauseImage, cniDirectory }: ConfigurationOptions): string {
  return `version = 3
root = '${inside.containerdRoot}'
state = '${inside.containerdState}'

[grpc]
address = '${inside.containerdSocket}'

[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = '${pauseImage}'

[plugins.'io.containerd.cri.v1.runtime']
# A pod may not make itself less likely to be killed than we are: that takes a right which containers of today lack.
restrict_oom_score_adj = true
enable_selinux = false
disable_apparmor = true

[plugins.'io.containerd.cri.v1.runtime'.cni]
bin_dirs = ['${cniDirectory}']
conf_dir = '${join(layout.configuration, 'cni')}'

[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
runtime_type = 'io.containerd.runc.v2'

[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
SystemdCgroup = false
`;
}

/**
 * Each pod has its own veth pair to the node, which routes. So every packet passes the node's rules, also between two
 * pods and without the kernel's bridge filter, and Services work from everywhere.
 */
const podNetwork = {
  cniVersion: '1.0.0',
  name: 'pods',
  plugins: [
    {
      type: 'ptp',
      ipMasq: false,
      ipam: { type: 'host-local', ranges: [[{ subnet: addresses.pods }]], routes: [{ dst: '0.0.0.0/0' }] },
    },
    { type: 'portmap', capabilities: { portMappings: true } },
  ],
};

function kubeletConfiguration({ certificates, cgroup }: Layout): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${inside.containerdSocket}`,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: join(certificates, 'ca.crt') },
    },
    authorization: { mode: 'Webhook' },
    cgroupDriver: 'cgroupfs',
    cgroupRoot: cgroup,
    failCgroupV1: false,
    failSwapOn: false,
    clusterDNS: [addresses.dns],
    clusterDomain: addresses.domain,
    resolvConf: '',
    // The disk is shared with everything else on this machine; pods must not be evicted because it is nearly full.
    evictionHard: {
      'memory.available': '1%',
      'nodefs.available': '1%',
      'nodefs.inodesFree': '1%',
      'imagefs.available': '1%',
    },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    // Several pulls at once: one that cannot succeed must not delay the others.
    serializeImagePulls: false,
    maxPods: 200,
    shutdownGracePeriod: '0s',
    enableServer: true,
  };
}

/** Every call of a service account, so that roles can be compared with the calls of programs. */
const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', userGroups: ['system:serviceaccounts:kube-system'] },
    { level: 'Metadata', userGroups: ['system:serviceaccounts'] },
    { level: 'None' },
  ],
};

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
