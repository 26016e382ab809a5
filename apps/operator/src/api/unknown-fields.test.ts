// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { etcdBackups } from './etcd-backup.ts';
import { etcdClusters } from './etcd-cluster.ts';
import { etcdRestores } from './etcd-restore.ts';
import { unknownFieldsClaim, unknownSpecFields } from './unknown-fields.ts';

const unknown = (spec: unknown) => unknownSpecFields(etcdClusters, spec);

test('a misspelt field is named with its path, wherever it is', () => {
  expect(unknown({ size: 3, sizee: 4 })).toEqual(['spec.sizee']);
  expect(unknown({ size: 3, pod: { label: { a: 'b' } }, TLS: { static: { members: {} } } })).toEqual([
    'spec.pod.label',
    'spec.TLS.static.members',
  ]);
  expect(unknown({ size: 3, pod: { tolerations: [{ key: 'a', efect: 'NoSchedule' }] } })).toEqual([
    'spec.pod.tolerations[0].efect',
  ]);
});

test('keys that people choose are no fields', () => {
  expect(unknown({ size: 3, pod: { labels: { sizee: 'x' }, nodeSelector: { a: 'b' } } })).toEqual([]);
});

test('what has no value of its kind is left to others', () => {
  expect([unknown(undefined), unknown(null), unknown('text'), unknown({ size: 3, pod: null })]).toEqual([
    [],
    [],
    [],
    [],
  ]);
});

test('all that a spec of the CoreOS etcd-operator can have is known', () => {
  const spec = {
    size: 3,
    version: '3.2.13',
    repository: 'quay.io/coreos/etcd',
    paused: false,
    pod: {
      labels: { a: 'b' },
      annotations: { c: 'd' },
      nodeSelector: { diskType: 'ssd' },
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'host' }] } },
      antiAffinity: true,
      resources: { limits: { cpu: '300m' }, requests: { memory: '100Mi' } },
      tolerations: [{ key: 'etcd', operator: 'Equal', value: 'true', effect: 'NoSchedule', tolerationSeconds: 3 }],
      etcdEnv: [{ name: 'ETCD_AUTO_COMPACTION_RETENTION', value: '1' }],
      persistentVolumeClaimSpec: { storageClassName: 's', accessModes: ['ReadWriteOnce'], resources: {} },
      busyboxImage: 'busybox:1.28.0-glibc',
      securityContext: { runAsNonRoot: true, runAsUser: 9000, fsGroup: 9000 },
      DNSTimeoutInSecond: 0,
    },
    TLS: { static: { member: { peerSecret: 'p', serverSecret: 's' }, operatorSecret: 'o' } },
  };
  expect(unknown(spec)).toEqual([]);
});

/** The storage sources as the CoreOS operators declare them. */
const sources = {
  s3: { path: 'bucket/key', awsSecret: 'aws', endpoint: 'http://minio', forcePathStyle: true },
  abs: { path: 'container/key', absSecret: 'azure' },
  gcs: { path: 'bucket/key', gcpSecret: 'google' },
  oss: { path: 'bucket/key', ossSecret: 'alibaba', endpoint: 'http://oss' },
};

test('all that a spec of the CoreOS backup and restore operators can have is known', () => {
  const backup = {
    etcdEndpoints: ['http://a:2379'],
    storageType: 'S3',
    backupPolicy: { timeoutInSecond: 60, backupIntervalInSecond: 125, maxBackups: 4 },
    clientTLSSecret: 'tls',
    ...sources,
  };
  expect(unknownSpecFields(etcdBackups, backup)).toEqual([]);
  const restore = { backupStorageType: 'S3', etcdCluster: { name: 'example' }, ...sources };
  expect(unknownSpecFields(etcdRestores, restore)).toEqual([]);
});

test.each([
  ['example-etcd-cluster.yaml', etcdClusters],
  ['etcd-backup-operator/backup_cr.yaml', etcdBackups],
  ['etcd-backup-operator/periodic_backup_cr.yaml', etcdBackups],
  ['etcd-restore-operator/restore_cr.yaml', etcdRestores],
])('example/%s has no unknown field, and one that is misspelt is found in it', (file, kind) => {
  const text = readFileSync(join(import.meta.dirname, '../../../../example', file), 'utf8');
  for (const document of parseAllDocuments(text)) {
    const { spec } = document.toJS() as { readonly spec: object };
    expect(unknownSpecFields(kind, spec)).toEqual([]);
    expect(unknownSpecFields(kind, { ...spec, storagetype: 'S3' })).toEqual(['spec.storagetype']);
  }
});

test('the cluster of a restore is looked through as well', () => {
  const spec = { backupStorageType: 'S3', etcdCluster: { nam: 'a' }, clusterSpec: { size: 3, sizee: 4 } };
  expect(unknownSpecFields(etcdRestores, spec)).toEqual(['spec.etcdCluster.nam', 'spec.clusterSpec.sizee']);
});

test('there is no condition without an unknown field, and many of them fit into its message', () => {
  expect(unknownFieldsClaim('EtcdBackup', [])).toBeUndefined();
  const many = Array.from({ length: 500 }, (_, index) => `spec.field${index}`);
  expect(unknownFieldsClaim('EtcdBackup', many)?.message.length).toBe(1024);
});
