// SPDX-License-Identifier: Apache-2.0
import { operatorFlags } from './operator-flags.ts';
import { scopeFlags } from './scope-flags.ts';
import { secureMetricsFlags } from './secure-metrics-flags.ts';

const { 'create-crd': createCrd, kubeconfig, 'log-level': logLevel, 'log-format': logFormat, version } = operatorFlags;

/** The flags of the CoreOS etcd-backup-operator, and our own. */
export const backupOperatorFlags = {
  'create-crd': createCrd,
  kubeconfig,
  'log-level': logLevel,
  'log-format': logFormat,
  version,
  'listen-addr': {
    kind: 'string',
    default: '0.0.0.0:9091',
    help: 'address that /readyz, /healthz and /metrics are served on',
  },
  ...secureMetricsFlags,
  ...scopeFlags,
  'backup-directory': {
    kind: 'string',
    default: '',
    help: 'path at which a volume for storage type Directory is mounted; each namespace gets a folder in it',
  },
  'allow-endpoints': {
    kind: 'string',
    default: '',
    help: 'hosts (wildcards are possible) and networks of the backup stores that may be used, separated by commas; example: *.amazonaws.com,minio.storage.svc:9000,10.0.0.0/8; empty allows all',
  },
  'allow-etcd-endpoints': {
    kind: 'string',
    default: '',
    help: 'hosts and networks, separated by commas, that etcdEndpoints may lead to, in addition to pods and Services in the namespace of the object; example: etcd.example.com,10.0.0.0/8; * allows all; http:// before an entry also allows passwords to be sent there without TLS. If empty, an operator that manages only its own namespace allows all hosts; any other operator allows no additional hosts',
  },
  'require-secret-label': {
    kind: 'boolean',
    default: false,
    help: 'use only Secrets with the label etcd.database.coreos.com/use: backup for backup stores, certificates and logins',
  },
  'path-prefix': {
    kind: 'string',
    default: '',
    help: 'prefix that the path of every backup must begin with, after the bucket; {namespace} stands for the namespace of the EtcdBackup or EtcdRestore; example: backups/{namespace}/',
  },
  'ambient-credentials': {
    kind: 'string',
    default: '',
    help: "namespaces, separated by commas, whose objects may use the operator's own cloud identity instead of a Secret; * for all, empty for none",
  },
} as const;
