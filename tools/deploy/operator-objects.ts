// SPDX-License-Identifier: Apache-2.0
import { operatorImageName } from '@etcd-operator/operator';
import type { ProgramName } from './rights.ts';

/** A Kubernetes object as it is written into a manifest. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** The name of the Deployment, its account, its roles, and the namespace of the one-file install. */
export const name = 'etcd-operator';

/** What every pod of the operator carries; the original's label. */
const podLabels = { name } as const;

/** The labels that Kubernetes recommends, on everything that is installed. */
export const labels = {
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/managed-by': 'etcd-operator-manifests',
} as const;

/** A program in the pod. */
export interface Container {
  readonly program: ProgramName;
  readonly port: number;
}

/** What runs in the one pod. Each program has a port of its own. */
export const operatorContainers: readonly Container[] = [
  { program: 'etcd-operator', port: 8080 },
  { program: 'etcd-backup-operator', port: 8081 },
  { program: 'etcd-restore-operator', port: 8082 },
];

/** The Deployment of all operators, which passes the restricted Pod Security Standard. @param flags of the programs */
export function deployment(flags: readonly string[]): Manifest {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      // Two of them: one works, the other takes over at once. Their Lease decides.
      replicas: 2,
      selector: { matchLabels: podLabels },
      template: { metadata: { labels: { ...labels, ...podLabels } }, spec: podSpec(flags) },
    },
  };
}

function podSpec(flags: readonly string[]): object {
  return {
    serviceAccountName: name,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: operatorContainers.map((one) => container(one, flags)),
  };
}

function container({ program, port }: Container, flags: readonly string[]): object {
  const portName = portNameOf(program);
  return {
    name: program,
    image: operatorImageName,
    command: [program, `-listen-addr=0.0.0.0:${port}`, ...flags],
    env: [field('MY_POD_NAMESPACE', 'metadata.namespace'), field('MY_POD_NAME', 'metadata.name')],
    ports: [{ name: portName, containerPort: port }],
    readinessProbe: { httpGet: { path: '/readyz', port: portName }, periodSeconds: 5 },
    livenessProbe: { httpGet: { path: '/healthz', port: portName }, initialDelaySeconds: 10, periodSeconds: 20 },
    resources: { requests: { cpu: '50m', memory: '128Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}

/** Names of ports have at most 15 characters. */
function portNameOf(program: ProgramName): string {
  return program === 'etcd-operator' ? 'http' : `http-${program.split('-')[1]}`;
}

function field(variable: string, fieldPath: string): object {
  return { name: variable, valueFrom: { fieldRef: { fieldPath } } };
}

export function serviceAccount(): Manifest {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, labels } };
}

/** One of the two stays when a node is drained. */
export function disruptionBudget(): Manifest {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, labels },
    spec: { maxUnavailable: 1, selector: { matchLabels: podLabels } },
  };
}

/** Nobody reaches the operator but for its metrics and probes. Where it goes itself is left open: API servers have no fixed place. */
export function networkPolicy(): Manifest {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, labels },
    spec: {
      podSelector: { matchLabels: podLabels },
      policyTypes: ['Ingress'],
      ingress: [{ ports: operatorContainers.map(({ program }) => ({ port: portNameOf(program) })) }],
    },
  };
}

/** The namespace of the one-file install lets in nothing that the operator itself does not need. */
export function namespace(): Manifest {
  const enforce = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { ...labels, ...enforce } } };
}
