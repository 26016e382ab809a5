// SPDX-License-Identifier: Apache-2.0
import type { JsonFields } from '../../api/json-fields.ts';

/** Values and requirements of a leaf that its schema does not describe. */
export interface Example {
  /** Valid values. By default they are made from the schema. */
  readonly values?: readonly [unknown, ...unknown[]];
  /** Values that the schema accepts although they are not valid. */
  readonly bad?: readonly unknown[];
  /** True if the value does not appear in the created objects, and only its effect is visible. */
  readonly isEffect?: true;
  /** Other fields of the same object that the leaf needs. */
  readonly siblings?: JsonFields;
  /** Fields that the enclosing object needs. */
  readonly around?: JsonFields;
  /** Fields of the spec that the leaf needs, also in the spec of an EtcdCluster inside an EtcdRestore; null removes a field. */
  readonly beside?: JsonFields;
  /** The key of the map entry. Default: walk. */
  readonly key?: string;
  /** True if the value cannot be changed directly: it has to be removed before another value is set. */
  readonly isFixed?: true;
  /** True if every value is rejected: the field exists only for its error message. */
  readonly isForbidden?: true;
}

const inValues = { values: ['In', 'NotIn'], bad: ['Near'], siblings: { values: ['walk-a'] } } as const;
const selected = { labelSelector: { matchLabels: { app: 'etcd' } } };
const profiles = { values: ['RuntimeDefault', 'Unconfined'], bad: ['Sometimes'] } as const;
const keyOfObject = { siblings: { name: 'walk' } };
const storage = { values: ['1Gi', '2Gi'], key: 'storage' } as const;
const mode = { values: [256, 420], bad: [512] } as const;
const clientTLS = { TLS: { static: { member: { serverSecret: 'walk-server' }, operatorSecret: 'walk-client' } } };
const balanced = { siblings: { type: 'LoadBalancer' }, beside: clientTLS } as const;
const clusterSource = { beside: { backupStorageType: null, s3: null } } as const;

/**
 * Examples by the end of a path; if two match, the longer one counts. Most are values of Kubernetes that its schemas only describe as
 * strings.
 */
const byEnd: Readonly<Record<string, Example>> = {
  size: { values: [5, 1], bad: [0, 8] },
  version: { values: ['3.6.15', 'v3.6.14'], bad: ['latest', '3.6', '99.0.0'] },
  repository: { values: ['example.com/walk-a', 'example.com/walk-b'] },
  image: {
    values: ['example.com/walk-a:v3.6.16', `example.com/walk-b@sha256:${'b'.repeat(64)}`],
    bad: ['example.com/walk', 'example.com/walk:'],
    beside: { version: '3.6.16' },
  },
  // The default of Kubernetes comes last.
  'service.type': { values: ['LoadBalancer', 'NodePort', 'ClusterIP'], beside: clientTLS },
  ipFamilyPolicy: { values: ['PreferDualStack', 'SingleStack', 'RequireDualStack'] },
  loadBalancerClass: { values: ['example.com/walk-a', 'example.com/walk-b'], ...balanced },
  'loadBalancerSourceRanges[]': { values: ['10.0.0.0/8', '192.168.0.0/16'], bad: ['10.0.0.0/99'], ...balanced },
  'ipFamilies[]': { values: ['IPv4', 'IPv6'], isFixed: true },
  'recovery.after': { isEffect: true, bad: ['9s', '1ns'] },
  'pod.labels.*': { bad: ['not a label'] },
  'pod.ClusterDomain': { values: ['.walk.a', '.walk.b'] },
  'pod.replaceAfter': { isEffect: true, bad: ['5 minutes', '1ns'] },
  'TLS.static.operatorSecret': { siblings: { member: { serverSecret: 'walk-server' } } },
  'TLS.static.member.serverSecret': { around: { operatorSecret: 'walk-client' } },
  // Scheduling.
  'matchExpressions[].operator': inValues,
  'matchExpressions[].key': { siblings: { operator: 'Exists' }, bad: ['not a key'] },
  'matchExpressions[].values[]': {},
  'matchFields[].key': { values: ['metadata.name'], siblings: { operator: 'In', values: ['walk-node'] } },
  'matchFields[].operator': { ...inValues, values: ['In', 'NotIn'] },
  weight: { values: [1, 50], bad: [0, 101] },
  // Kubernetes creates these two priority classes.
  priorityClassName: { values: ['system-node-critical', 'system-cluster-critical'] },
  topologyKey: { values: ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'] },
  'podAffinityTerm.matchLabelKeys[]': {},
  effect: { values: ['NoSchedule', 'NoExecute'], siblings: { key: 'walk', operator: 'Exists' }, bad: ['Sometimes'] },
  'tolerations[].operator': { values: ['Exists', 'Equal'], siblings: { key: 'walk' }, bad: ['Sometimes'] },
  'tolerations[].key': { siblings: { operator: 'Exists' }, bad: ['not a key'] },
  'tolerations[].value': { siblings: { key: 'walk', operator: 'Equal' } },
  tolerationSeconds: { siblings: { key: 'walk', operator: 'Exists', effect: 'NoExecute' } },
  maxSkew: { values: [1, 2], bad: [0] },
  minDomains: { values: [1, 2], siblings: { whenUnsatisfiable: 'DoNotSchedule' } },
  nodeAffinityPolicy: { values: ['Honor', 'Ignore'], bad: ['Sometimes'] },
  nodeTaintsPolicy: { values: ['Honor', 'Ignore'], bad: ['Sometimes'] },
  whenUnsatisfiable: { values: ['ScheduleAnyway', 'DoNotSchedule'], bad: ['Sometimes'] },
  'topologySpreadConstraints[].matchLabelKeys[]': {},
  schedulerName: { values: ['walk-a', 'walk-b'] },
  runtimeClassName: { values: ['walk-a', 'walk-b'] },
  serviceAccountName: { values: ['walk-a', 'walk-b'] },
  'hostAliases[].ip': { values: ['10.1.2.3', 'fd00::1'], bad: ['999.1.2.3'] },
  'hostAliases[].hostnames[]': {
    values: ['walk-a.example.com', 'walk-b.example.com'],
    bad: ['walk-0001.walk.default.svc'],
  },
  // Containers.
  'resources.limits.*': { values: ['1Gi', '2Gi'], key: 'memory' },
  'resources.requests.*': { values: ['100m', '200m'], key: 'cpu' },
  'etcdEnv[].name': {
    values: ['ETCD_AUTO_COMPACTION_RETENTION', 'ETCD_MAX_TXN_OPS'],
    siblings: { value: '200' },
    bad: ['ETCD_NAME', 'PATH', 'ETCD_'],
  },
  'etcdEnv[].value': { values: ['100', '200'] },
  'configMapKeyRef.key': keyOfObject,
  'configMapKeyRef.optional': keyOfObject,
  'secretKeyRef.key': keyOfObject,
  'secretKeyRef.optional': keyOfObject,
  'fieldRef.apiVersion': { values: ['v1'] },
  'fieldRef.fieldPath': { values: ['metadata.name', 'metadata.namespace'], bad: ['metadata.nothing'] },
  'resourceFieldRef.resource': { values: ['limits.cpu', 'limits.memory'], bad: ['limits.time'] },
  'resourceFieldRef.containerName': { values: ['etcd'] },
  'resourceFieldRef.divisor': { values: ['1m', '1'] },
  imagePullPolicy: { values: ['Always', 'IfNotPresent'], bad: ['Sometimes'] },
  workingDir: { values: ['/walk/a', '/walk/b'] },
  'ports[].containerPort': { bad: [0, 2379, 70_000] },
  'ports[].name': { bad: ['client'] },
  'ports[].protocol': { values: ['TCP', 'UDP'], bad: ['Sometimes'] },
  'ports[].hostPort': { isForbidden: true },
  'ports[].hostIP': { isForbidden: true },
  'sidecars[].name': { bad: ['etcd'] },
  'initContainers[].name': { bad: ['check-dns'] },
  'appArmorProfile.type': profiles,
  'seccompProfile.type': profiles,
  localhostProfile: { siblings: { type: 'Localhost' } },
  fsGroupChangePolicy: { values: ['Always', 'OnRootMismatch'], bad: ['Sometimes'] },
  seLinuxChangePolicy: { values: ['MountOption', 'Recursive'], bad: ['Sometimes'] },
  supplementalGroupsPolicy: { values: ['Merge', 'Strict'], bad: ['Sometimes'] },
  'sysctls[].name': {
    values: ['net.ipv4.tcp_syncookies', 'net.ipv4.ip_unprivileged_port_start'],
    siblings: { value: '1' },
    bad: ['not a sysctl'],
  },
  'capabilities.add[]': { values: ['NET_BIND_SERVICE', 'CHOWN'] },
  'capabilities.drop[]': { values: ['ALL', 'CHOWN'] },
  procMount: { values: ['Default'], bad: ['Unmasked'] },
  hostProcess: { values: [false], bad: [true] },
  privileged: { values: [false] },
  // Volumes.
  'volumes[].name': { siblings: { emptyDir: {} }, bad: ['etcd-data'] },
  'emptyDir.medium': { values: ['Memory', 'HugePages'] },
  'emptyDir.sizeLimit': { values: ['1Gi', '2Gi'] },
  defaultMode: mode,
  'items[].mode': mode,
  'items[].path': { bad: ['../..'] },
  'clusterTrustBundle.path': {},
  'serviceAccountToken.path': {},
  signerName: { values: ['example.com/walk-a', 'example.com/walk-b'] },
  keyType: { values: ['ED25519', 'ECDSAP256'], bad: ['Sometimes'] },
  maxExpirationSeconds: { values: [3600, 7200] },
  mountPath: { values: ['/walk/a', '/walk/b'], bad: ['walk', '/', '/var/etcd/walk', '/etc'] },
  mountPropagation: { values: ['None', 'HostToContainer'], bad: ['Sometimes'] },
  recursiveReadOnly: { values: ['IfPossible', 'Enabled'], siblings: { readOnly: true }, bad: ['Sometimes'] },
  'volumeMounts[].name': { bad: ['walk-c', 'etcd-data'] },
  'accessModes[]': { values: ['ReadWriteOnce', 'ReadWriteOncePod'], bad: ['Sometimes'] },
  'persistentVolumeClaimSpec.resources.requests.*': storage,
  'persistentVolumeClaimSpec.resources.limits.*': storage,
  volumeMode: { values: ['Filesystem'], bad: ['Sometimes'] },
  // Backups and restores.
  'clusterRef.name': { beside: { etcdEndpoints: null } },
  'etcdEndpoints[]': { values: ['http://walk-a:2379', 'http://walk-b:2379'], bad: ['ftp://x', 'http://u:p@x'] },
  storageType: {
    values: ['GCS', 'OSS'],
    beside: { gcs: { path: 'walk/gcs' }, oss: { path: 'walk/oss', ossSecret: 'walk' } },
  },
  backupStorageType: {
    values: ['GCS', 'OSS'],
    beside: { gcs: { path: 'walk/gcs' }, oss: { path: 'walk/oss', ossSecret: 'walk' } },
  },
  'backupPolicy.schedule': { isEffect: true, values: ['@daily', '@hourly'], bad: ['every day', '61 * * * *'] },
  'backupPolicy.timeZone': {
    isEffect: true,
    values: ['Europe/Berlin', 'Asia/Tokyo'],
    siblings: { schedule: '@daily' },
    bad: ['Europe/Atlantis'],
  },
  'backupPolicy.maxBackups': { siblings: { backupIntervalInSecond: 60 } },
  'keep.within': { isEffect: true, bad: ['0s'] },
  'prove.schedule': { isEffect: true, values: ['@daily', '@hourly'], bad: ['every day', '61 * * * *'] },
  'spec.continuous': { isEffect: true, values: [{}], beside: { backupPolicy: { backupIntervalInSecond: 60 } } },
  'abs.storageAccount': { beside: { abs: { path: 'walk/abs' } } },
  kmsKeyID: { siblings: { algorithm: 'aws:kms' } },
  'oss.serverSideEncryption.kmsKeyID': { siblings: { algorithm: 'KMS' } },
  bucketKey: { siblings: { algorithm: 'aws:kms' } },
  days: { values: [1, 30] },
  // True means the same as Required.
  safetySnapshot: { values: ['Required', 'IfPossible', false] },
  'survivor.member': clusterSource,
  'source.cluster': { ...clusterSource, values: ['walk-a', 'walk-b'], bad: ['walk', '..', 'a/b'] },
  'pointInTime.time': { values: ['2026-11-18T14:32:00Z', '2026-11-18T15:00:00Z'], bad: ['yesterday'] },
  'prefixes[]': { values: ['/walk/a/', '/walk/b/'] },
  'spec.dryRun': { beside: { prefixes: ['/walk/'] } },
  'spec.onConflict': { isEffect: true, values: ['Overwrite', 'Refuse'], beside: { prefixes: ['/walk/'] } },
  'oldVolumes.retention': { isEffect: true, bad: ['1us'] },
  'spec.timeout': { isEffect: true, values: ['90s', '5m'], bad: ['1us'] },
  path: { values: ['walk-a/key', 'walk-b/key'], bad: ['no-key', '/', '../..'] },
  endpoint: {
    values: ['https://walk-a.example.com', 'https://walk-b.example.com'],
    bad: ['ftp://x', 'http://169.254.169.254'],
  },
};

/** Fields that an object needs although its schema does not require them, by the end of its path. */
const objects: Readonly<Record<string, JsonFields>> = {
  'sidecars[]': { image: 'example.com/walk:v1' },
  'initContainers[]': { image: 'example.com/walk:v1' },
  configMap: { name: 'walk' },
  'volumes[].secret': { secretName: 'walk' },
  'sources[].secret': { name: 'walk' },
  // The API server adds this default.
  'ports[]': { protocol: 'TCP' },
};

/** Fields that every leaf below a path needs in its spec. */
const below: Readonly<Record<string, JsonFields>> = {
  // A mount needs an existing volume.
  'volumeMounts[]': {
    pod: { volumes: ['walk-a', 'walk-b'].map((name) => ({ name, emptyDir: {} })) },
  },
};

/** The stores that the base does not use, so that they have to be selected. */
const stores: Readonly<Record<string, { readonly type: string; readonly source: JsonFields }>> = {
  abs: { type: 'ABS', source: { path: 'walk/abs', absSecret: 'walk' } },
  gcs: { type: 'GCS', source: { path: 'walk/gcs', gcpSecret: 'walk' } },
  oss: { type: 'OSS', source: { path: 'walk/oss', ossSecret: 'walk' } },
  directory: { type: 'Directory', source: { path: 'walk-directory' } },
};

export function exampleFor(path: string): Example | undefined {
  const found = byLongestEnd(byEnd, path);
  const place = Object.keys(below).find((part) => path.includes(`.${part}.`));
  const beside = place === undefined ? storeOf(path) : below[place];
  const needsSelector = /(mis)?matchLabelKeys\[\]$/i.test(path);
  if (!found && !beside && !needsSelector) return undefined;
  return {
    ...found,
    ...(needsSelector && { siblings: { ...selected, ...found?.siblings } }),
    ...(beside && { beside: { ...beside, ...found?.beside } }),
  };
}

/** Fields that an object at this path needs besides those that its schema requires. */
export function needsOf(path: string): JsonFields {
  return byLongestEnd(objects, path) ?? {};
}

function byLongestEnd<T>(table: Readonly<Record<string, T>>, path: string): T | undefined {
  const ends = Object.keys(table).filter((end) => path === end || path.endsWith(`.${end}`) || path.endsWith(`]${end}`));
  const longest = ends.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : table[longest];
}

/** The store of a source field. Both names of the storage type are set here; the one that a kind does not have is removed later. */
function storeOf(path: string): JsonFields | undefined {
  const field = /^spec\.([a-z]+)\./.exec(path)?.[1] ?? '';
  const store = Object.hasOwn(stores, field) ? stores[field] : undefined;
  return store && { storageType: store.type, backupStorageType: store.type, [field]: store.source };
}
