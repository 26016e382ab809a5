// SPDX-License-Identifier: Apache-2.0
import { scopeFlags } from './scope-flags.ts';
import { secureMetricsFlags } from './secure-metrics-flags.ts';

/** The flags of the CoreOS etcd-operator, and our own. */
export const operatorFlags = {
  'listen-addr': {
    kind: 'string',
    default: '0.0.0.0:8080',
    help: 'address that /readyz, /healthz and /metrics are served on',
  },
  ...secureMetricsFlags,
  'chaos-level': {
    kind: 'integer',
    default: -1,
    help: 'for tests: 1 or 2 kills random member pods; any other value is ignored',
  },
  'create-crd': {
    kind: 'boolean',
    default: true,
    help: 'install the CustomResourceDefinitions; with false, the operator needs permissions in its own namespace only',
  },
  ...scopeFlags,
  'gc-interval': { kind: 'string', default: '10m', help: 'deprecated, ignored' },
  kubeconfig: {
    kind: 'string',
    default: '',
    help: 'path of a kubeconfig file, for running outside the Kubernetes cluster',
  },
  'log-level': { kind: 'string', default: 'info', help: 'log level: trace, debug, info, warn or error' },
  'log-format': { kind: 'string', default: 'json', help: 'log format: json or text' },
  version: { kind: 'boolean', default: false, help: 'print the version and exit' },
} as const;
