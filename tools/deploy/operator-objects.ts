// SPDX-License-Identifier: Apache-2.0
import { controllerNames, operatorImageName } from '@etcd-operator/operator';

/** A Kubernetes object for a manifest. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** The name of the Deployment, its ServiceAccount, its roles, and the namespace of the one-file install. */
export const name = 'etcd-operator';

/** The label of every operator pod; CoreOS's label. */
export const podLabels = { name } as const;

/** The labels that Kubernetes recommends, on all installed objects. */
export const labels = {
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/managed-by': 'etcd-operator-manifests',
  'app.kubernetes.io/part-of': 'etcd-operator',
} as const;

/** The port of probes and metrics. */
const port = 8080;
export const portName = 'http';

/**
 * Backups to be restored are stored here after verification until they are delivered. The operator limits itself to 16
 * GiB.
 */
const scratch = { path: '/var/restore', sizeLimit: '20Gi' } as const;

/**
 * The Deployment of all operators in one process, which complies with the restricted Pod Security Standard. @param
 * flags of the program
 */
export function deployment(flags: readonly string[]): Manifest {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      // Two replicas: one is active, the other takes over at once. Their Lease decides.
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
    containers: [container(flags)],
    volumes: [{ name: 'scratch', emptyDir: { sizeLimit: scratch.sizeLimit } }],
  };
}

function container(flags: readonly string[]): object {
  return {
    name,
    image: operatorImageName,
    command: [name, `-controllers=${controllerNames.join()}`, `-scratch-directory=${scratch.path}`, ...flags],
    env: [field('MY_POD_NAMESPACE', 'metadata.namespace'), field('MY_POD_NAME', 'metadata.name')],
    ports: [{ name: portName, containerPort: port }],
    readinessProbe: { httpGet: { path: '/readyz', port: portName }, periodSeconds: 5 },
    livenessProbe: { httpGet: { path: '/healthz', port: portName }, initialDelaySeconds: 10, periodSeconds: 20 },
    // A thousand idle clusters need up to 400 MB, and all uploads together up to 272 MiB.
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '1Gi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [{ name: 'scratch', mountPath: scratch.path }],
  };
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

/** The namespace of the one-file install allows only pods that the operator itself needs. */
export function namespace(): Manifest {
  const enforce = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { ...labels, ...enforce } } };
}
