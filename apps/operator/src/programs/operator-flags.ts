// SPDX-License-Identifier: Apache-2.0

/** The original's flags, and `-kubeconfig` for running outside a cluster. */
export const operatorFlags = {
  'listen-addr': { kind: 'string', default: '0.0.0.0:8080', help: 'where /readyz, /healthz and /metrics are served' },
  'chaos-level': {
    kind: 'integer',
    default: -1,
    help: '1 or 2 kill random member pods, to test; anything else does nothing',
  },
  'create-crd': {
    kind: 'boolean',
    default: true,
    help: 'install the custom resource; with false only rights in one namespace are needed',
  },
  'cluster-wide': {
    kind: 'boolean',
    default: false,
    help: 'look after objects of all namespaces that are annotated clusterwide',
  },
  'gc-interval': { kind: 'string', default: '10m', help: 'accepted and without effect, as ever' },
  kubeconfig: { kind: 'string', default: '', help: 'a kubeconfig file, to run outside the cluster' },
  'log-level': { kind: 'string', default: 'info', help: 'trace, debug, info, warn or error' },
  'log-format': { kind: 'string', default: 'json', help: 'json or text' },
  version: { kind: 'boolean', default: false, help: 'print the version and exit' },
} as const;
