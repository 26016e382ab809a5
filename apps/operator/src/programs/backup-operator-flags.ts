// SPDX-License-Identifier: Apache-2.0
import { operatorFlags } from './operator-flags.ts';

const { 'create-crd': createCrd, kubeconfig, 'log-level': logLevel, 'log-format': logFormat, version } = operatorFlags;

/** The original's flags, and ours. */
export const backupOperatorFlags = {
  'create-crd': createCrd,
  kubeconfig,
  'log-level': logLevel,
  'log-format': logFormat,
  version,
  'listen-addr': { kind: 'string', default: '0.0.0.0:9091', help: 'where /readyz, /healthz and /metrics are served' },
  'cluster-wide': { kind: 'boolean', default: false, help: 'look after objects of all namespaces' },
  'backup-directory': {
    kind: 'string',
    default: '',
    help: 'where a volume for storage type Directory is mounted; each namespace gets a folder below it',
  },
  'allow-endpoints': {
    kind: 'string',
    default: '',
    help: 'patterns of hosts that stores may have, by commas: *.amazonaws.com,minio.storage.svc:9000; empty for all',
  },
} as const;
