// SPDX-License-Identifier: Apache-2.0
/**
 * What is loaded into the API server. %NAME% and %NUMBER% are filled in by the loader (bench/go/load.go), so that both sides read
 * the same bytes.
 */

const times = { lastUpdateTime: '2026-11-01T10:00:00Z', lastTransitionTime: '2026-11-01T10:00:00Z' };
const owner = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  name: '%NAME%-6d5f9c7b8',
  uid: '5b0f4ed4-5d6f-4a7e-9a55-0000%NUMBER%',
  controller: true,
  blockOwnerDeletion: true,
};

/** A Pod as clusters are full of: two containers with probes, variables and mounts, and a full status; about 12 kB of JSON. */
export const podTemplate = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: '%NAME%',
    labels: {
      'app.kubernetes.io/name': 'storefront',
      'app.kubernetes.io/instance': 'storefront-%NUMBER%',
      'app.kubernetes.io/component': 'web',
      'app.kubernetes.io/part-of': 'shop',
      'pod-template-hash': '6d5f9c7b8',
    },
    annotations: {
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': '9090',
      'checksum/config': '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b',
      'example.com/deployed-by': 'pipeline %NUMBER% of the storefront repository, stage production, region one',
    },
    ownerReferences: [owner],
  },
  spec: {
    nodeName: 'node-%NUMBER%',
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    priority: 0,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 45,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 10001,
      fsGroup: 10001,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: {
              topologyKey: 'kubernetes.io/hostname',
              labelSelector: { matchLabels: { 'app.kubernetes.io/instance': 'storefront-%NUMBER%' } },
            },
          },
        ],
      },
    },
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
    volumes: [
      { name: 'config', configMap: { name: 'storefront-%NUMBER%', defaultMode: 420 } },
      { name: 'certificates', secret: { secretName: 'storefront-%NUMBER%-tls', defaultMode: 256 } },
      { name: 'scratch', emptyDir: { sizeLimit: '256Mi' } },
      { name: 'cache', emptyDir: {} },
    ],
    containers: [container('web', 8080), container('proxy', 15001)],
  },
  status: {
    phase: 'Running',
    qosClass: 'Burstable',
    hostIP: '192.0.2.10',
    podIP: '198.51.100.20',
    podIPs: [{ ip: '198.51.100.20' }],
    startTime: '2026-11-01T10:00:00Z',
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
      (type) => ({
        type,
        status: 'True',
        lastTransitionTime: '2026-11-01T10:00:00Z',
      }),
    ),
    containerStatuses: ['web', 'proxy'].map((name) => ({
      name,
      ready: true,
      started: true,
      restartCount: 0,
      image: `registry.example.com/shop/${name}:v1.27.%NUMBER%`,
      imageID: `registry.example.com/shop/${name}@sha256:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b`,
      containerID: 'containerd://4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865',
      state: { running: { startedAt: '2026-11-01T10:00:05Z' } },
      lastState: {},
    })),
  },
};

function container(name: string, port: number) {
  const probe = (path: string) => ({
    httpGet: { path, port, scheme: 'HTTP' },
    periodSeconds: 10,
    timeoutSeconds: 2,
    successThreshold: 1,
    failureThreshold: 3,
  });
  return {
    name,
    image: `registry.example.com/shop/${name}:v1.27.%NUMBER%`,
    imagePullPolicy: 'IfNotPresent',
    args: [`--listen=:${port}`, '--log-format=json', '--config=/etc/storefront/config.yaml', '--shutdown-delay=10s'],
    ports: [
      { name: 'http', containerPort: port, protocol: 'TCP' },
      { name: 'metrics', containerPort: port + 1, protocol: 'TCP' },
    ],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
      { name: 'POD_IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } },
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'storefront-%NUMBER%', key: 'password' } } },
      ...['DATABASE_URL', 'CACHE_URL', 'QUEUE_URL', 'SEARCH_URL', 'PAYMENT_URL', 'TRACING_URL'].map((variable) => ({
        name: variable,
        value: `https://${variable.toLowerCase().replace('_url', '')}.shop-%NUMBER%.svc.cluster.local:8443/v1`,
      })),
    ],
    resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { cpu: '1', memory: '512Mi' } },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/storefront', readOnly: true },
      { name: 'certificates', mountPath: '/etc/certificates', readOnly: true },
      { name: 'scratch', mountPath: '/tmp' },
      { name: 'cache', mountPath: '/var/cache/storefront' },
    ],
    livenessProbe: probe('/healthz'),
    readinessProbe: probe('/readyz'),
    startupProbe: probe('/startz'),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  };
}

/** An EtcdCluster with a full status; about 3 kB of JSON. */
export const clusterTemplate = {
  apiVersion: 'etcd.database.coreos.com/v1beta2',
  kind: 'EtcdCluster',
  metadata: {
    name: '%NAME%',
    labels: { 'app.kubernetes.io/name': 'etcd', 'app.kubernetes.io/instance': 'team-%NUMBER%' },
    annotations: { 'etcd.database.coreos.com/scope': 'clusterwide' },
  },
  spec: {
    size: 3,
    repository: 'registry.example.com/coreos/etcd',
    version: '3.6.16',
    pod: {
      labels: { team: 'team-%NUMBER%', tier: 'storage' },
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
      id: `8e9e05c52164694${member}`,
      role: member === 1 ? 'Leader' : 'Follower',
      version: '3.6.16',
      revision: 123456,
      databaseSize: 20971520,
      healthy: true,
    })),
    currentVersion: '3.6.16',
    clusterID: 'cdf818194e3a8c32',
    conditions: [
      { type: 'Available', status: 'True', reason: 'QuorumHealthy', message: '3 of 3 members are healthy', ...times },
      { type: 'Progressing', status: 'False', reason: 'AsDeclared', message: 'nothing to do', ...times },
      { type: 'Degraded', status: 'False', reason: 'AllHealthy', message: 'all members are healthy', ...times },
    ],
  },
};
