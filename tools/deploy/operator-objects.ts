// SPDX-License-Identifier: Apache-2.0
import { controllerNames, operatorImageName } from '@etcd-operator/operator';

/** A Kubernetes object as it is written into a manifest. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** The name of the Deployment, its account, its roles, and the namespace of the one-file install. */
export const name = 'etcd-operator';

/** What every pod of the operator carries; CoreOS's label. */
export const podLabels = { name } as const;

/** The labels that Kubernetes recommends, on everything that is installed. */
export const labels = {
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/managed-by': 'etcd-operator-manifests',
} as const;

/** Where probes and metrics are answered. */
const port = 8080;
export const portName = 'http';

/** Backups that are restored stay here between being verified and being delivered. The operator keeps to 16 GiB of it by itself. */
const scratch = { path: '/var/restore', sizeLimit: '20Gi' } as const;

/** The Deployment of all operators in one process, which passes the restricted Pod Security Standard. @param flags of the program */
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
    // A thousand clusters take up to 400 MB at rest, and all uploads together up to 272 MiB.
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

/** The namespace of the one-file install lets in nothing that the operator itself does not need. */
export function namespace(): Manifest {
  const enforce = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { ...labels, ...enforce } } };
}
