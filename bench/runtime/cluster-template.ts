// SPDX-License-Identifier: Apache-2.0

const times = { lastUpdateTime: '%TIME:update%', lastTransitionTime: '%TIME:transition%' };

/** An EtcdCluster with a full status; about 3 kB of JSON. Placeholders are replaced as for pods. */
export const clusterTemplate = {
  apiVersion: 'etcd.database.coreos.com/v1beta2',
  kind: 'EtcdCluster',
  metadata: {
    name: '%NAME%',
    labels: { 'app.kubernetes.io/name': 'etcd', 'app.kubernetes.io/instance': 'team-%APP%' },
    annotations: { 'etcd.database.coreos.com/scope': 'clusterwide' },
  },
  spec: {
    size: 3,
    repository: 'registry.example.com/coreos/etcd',
    version: '3.6.16',
    pod: {
      labels: { team: 'team-%APP%', tier: 'storage' },
      annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '2379' },
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '2Gi' } },
      tolerations: [{ key: 'storage', operator: 'Equal', value: 'true', effect: 'NoSchedule' }],
      etcdEnv: [
        { name: 'ETCD_AUTO_COMPACTION_RETENTION', value: '5' },
        { name: 'ETCD_QUOTA_BACKEND_BYTES', value: '8589934592' },
        { name: 'ETCD_SNAPSHOT_COUNT', value: '10000' },
      ],
      persistentVolumeClaimSpec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'fast',
        resources: { requests: { storage: '16Gi' } },
      },
    },
  },
  status: {
    phase: 'Running',
    observedGeneration: 1,
    size: 3,
    readySize: 3,
    serviceName: '%NAME%-client',
    clientPort: 2379,
    members: { ready: [1, 2, 3].map((member) => `%NAME%-member-${member}`), unready: [] },
    memberDetails: [1, 2, 3].map((member) => ({
      name: `%NAME%-member-${member}`,
      id: `%HASH:member${member}:16%`,
      role: member === 1 ? 'Leader' : 'Follower',
      version: '3.6.16',
      revision: 123456,
      databaseSize: 20971520,
      healthy: true,
    })),
    currentVersion: '3.6.16',
    clusterID: '%HASH:cluster:16%',
    conditions: [
      { type: 'Available', status: 'True', reason: 'QuorumHealthy', message: '3 of 3 members are healthy', ...times },
      { type: 'Progressing', status: 'False', reason: 'AsDeclared', message: 'nothing to do', ...times },
      { type: 'Degraded', status: 'False', reason: 'AllHealthy', message: 'all members are healthy', ...times },
    ],
  },
};
