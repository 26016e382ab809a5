// SPDX-License-Identifier: Apache-2.0
import {
  clientPort,
  type MemberAddress,
  metricsPort,
  type ProbeTarget,
  parseVersion,
  peerPort,
  probePlan,
  raisedMaxLearners,
} from '@operator-parts/etcd';
import type { Container, EnvVar, Probe, VolumeMount } from '@operator-parts/kube';
import { annotations } from '../../api/names.ts';

/** Paths inside a member's container, the same as CoreOS uses. */
export const paths = {
  data: '/var/etcd',
  peerTLS: '/etc/etcdtls/member/peer-tls',
  serverTLS: '/etc/etcdtls/member/server-tls',
  clientTLS: '/etc/etcdtls/operator/etcd-tls',
} as const;

/**
 * Every pod of this operator has this argument, and no pod of CoreOS etcd-operator has it. etcd reads the state from an annotation of the
 * pod.
 */
export const bootStateArgument = '--initial-cluster-state=$(BOOT_STATE)';

export interface EtcdContainerOptions {
  readonly name: string;
  readonly image: string;
  readonly version: string;
  readonly address: MemberAddress;
  readonly peerTLS: boolean;
  readonly clientTLS: boolean;
  /** The user's own variables, after those of the operator. */
  readonly env: readonly EnvVar[];
  /** The user's own mounts, after those of the operator. */
  readonly mounts: readonly VolumeMount[];
}

/**
 * The container `etcd`. The command line holds only flags that every version from 3.3 to 3.7 knows, in CoreOS's order; everything else is
 * set by environment variables. The values with which etcd boots if its data directory is empty come from annotations of the pod. The
 * container reads these annotations at every start, so that the operator can clear them (operator rules 1 and 11).
 */
export function etcdContainer(options: EtcdContainerOptions): Container & { readonly name: string } {
  const version = parseVersion(options.version);
  const probes = version && probePlan(version);
  return {
    name: 'etcd',
    image: options.image,
    command: command(options),
    env: [
      fromAnnotation('BOOT_CLUSTER', annotations.initialCluster),
      fromAnnotation('BOOT_STATE', annotations.initialClusterState),
      fromAnnotation('BOOT_TOKEN', annotations.initialClusterToken),
      fromAnnotation('ETCD_SNAPSHOT_COUNT', annotations.snapshotCount),
      { name: 'ETCD_MAX_LEARNERS', value: String(raisedMaxLearners) },
      { name: 'ETCD_LISTEN_METRICS_URLS', value: `http://0.0.0.0:${metricsPort}` },
      ...options.env,
    ],
    ports: [
      { name: 'server', containerPort: peerPort, protocol: 'TCP' },
      { name: 'client', containerPort: clientPort, protocol: 'TCP' },
      { name: 'metrics', containerPort: metricsPort, protocol: 'TCP' },
    ],
    volumeMounts: [
      { name: 'etcd-data', mountPath: paths.data },
      ...(options.peerTLS ? [{ name: 'member-peer-tls', mountPath: paths.peerTLS, readOnly: true }] : []),
      ...(options.clientTLS ? [{ name: 'member-server-tls', mountPath: paths.serverTLS, readOnly: true }] : []),
      ...options.mounts,
    ],
    // The status of the pod then contains the output of a failed start, which shows whether data was lost or etcd crashed.
    terminationMessagePolicy: 'FallbackToLogsOnError',
    ...(probes && {
      startupProbe: { ...probe(probes.startup), periodSeconds: 2, timeoutSeconds: 3, failureThreshold: 300 },
      readinessProbe: { ...probe(probes.readiness), periodSeconds: 2, timeoutSeconds: 3, failureThreshold: 3 },
      livenessProbe: { ...probe(probes.liveness), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    }),
  };
}

function command({ name, address, peerTLS, clientTLS }: EtcdContainerOptions): readonly string[] {
  const scheme = (secure: boolean) => (secure ? 'https' : 'http');
  return [
    '/usr/local/bin/etcd',
    `--data-dir=${paths.data}/data`,
    `--name=${name}`,
    `--initial-advertise-peer-urls=${address.peerUrl}`,
    `--listen-peer-urls=${scheme(peerTLS)}://0.0.0.0:${peerPort}`,
    `--listen-client-urls=${scheme(clientTLS)}://0.0.0.0:${clientPort}`,
    `--advertise-client-urls=${address.clientUrl}`,
    '--initial-cluster=$(BOOT_CLUSTER)',
    bootStateArgument,
    ...(peerTLS ? tlsFlags('peer-', paths.peerTLS, 'peer') : []),
    ...(clientTLS ? tlsFlags('', paths.serverTLS, 'server') : []),
    '--initial-cluster-token=$(BOOT_TOKEN)',
  ];
}

/** etcd reads a trusted CA only when it starts, and reads certificates and keys at each handshake (etcd fact 8). */
function tlsFlags(prefix: string, directory: string, file: string): readonly string[] {
  return [
    `--${prefix}client-cert-auth=true`,
    `--${prefix}trusted-ca-file=${directory}/${file}-ca.crt`,
    `--${prefix}cert-file=${directory}/${file}.crt`,
    `--${prefix}key-file=${directory}/${file}.key`,
  ];
}

function fromAnnotation(name: string, annotation: string): EnvVar {
  return { name, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.annotations['${annotation}']` } } };
}

function probe(target: ProbeTarget): Probe {
  if (target.kind === 'tcp') return { tcpSocket: { port: clientPort } };
  return { httpGet: { path: target.path, port: metricsPort, scheme: 'HTTP' } };
}
