// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@operator-parts/kube';

/** What is known of a run, to be replaced by what it stands for. */
export interface Known {
  readonly namespace: string;
  /** Members are called after it. */
  readonly cluster: string;
}

/** Fields that say when, where or how much, and nothing of what is. */
const dropped = new Set([
  ...['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'managedFields', 'selfLink', 'observedGeneration'],
  ...[
    'lastTransitionTime',
    'lastUpdateTime',
    'nodeName',
    'node',
    'clusterIP',
    'clusterIPs',
    'volumeName',
    'podIP',
    'volume.kubernetes.io/selected-node',
  ],
  ...[
    'startTime',
    'completionTime',
    'revision',
    'databaseSize',
    'databaseSizeInUse',
    'index',
    'bytesDelivered',
    'bytesVerified',
    'writtenRevision',
  ],
  ...['etcdRevision', 'bytes', 'durationSeconds', 'storageVersion'],
]);

/** Annotations of pods that tell how a member began. */
const history = new Set(['etcd.database.coreos.com/bootstrap-version', 'etcd.database.coreos.com/fresh-volume']);

/** Of these kinds the API server and the kubelet write the status, and most of it tells the time. */
const statusOfOthers = new Set(['Pod', 'PersistentVolumeClaim', 'Service', 'PodDisruptionBudget']);

const patterns: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/\b\d+\.\d+\.\d+\.\d+(:\d+)?\b/g, '<address>'],
  [/\b[0-9a-f]{11,64}\b/g, '<id>'],
  [/, revision \d+/g, ''],
  // Names of periodic backups and of recorded changes.
  [/_v\d+_\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d/g, '_v<revision>_<time>'],
  [/-\d{19}_\d{8}T\d{6}\.\d{3}Z/g, '-<revision>_<time>'],
  [/-restore-[0-9a-f]{8}\b/g, '-restore-<uid>'],
  [/--bump-revision=\d+/g, '--bump-revision=<revision>'],
  [/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access'],
  // For whose names a pod waits at its first start depends on who was there when it was made.
  [/"<member>\.[^"]*\.svc",|,"<member>\.[^"]*\.svc"/g, ''],
];

/** An object as one line that is the same for every run that ends in the same way. */
export function comparable(object: KubeObject & { readonly kind: string }, known: Known): string {
  const { status, data, ...rest } = object as typeof object & { readonly status?: object; readonly data?: object };
  const shown = {
    ...rest,
    ...(data && { data: Object.keys(data) }),
    ...(status && !statusOfOthers.has(object.kind) && { status }),
  };
  const text = JSON.stringify(withoutHistory(shown), (name, value: unknown) =>
    dropped.has(name) ? undefined : ordered(name, value, known),
  );
  const own = object.metadata?.name ?? '';
  return anonymous(`${object.kind} ${text}`, own, known);
}

/**
 * The pod of the first member may say with which version the cluster began; that the EtcdCluster says it is what counts. A pod says that
 * its volume is new only if the process that created the pod created the volume, too.
 */
function withoutHistory<T extends KubeObject & { readonly kind: string }>(object: T): T {
  if (object.kind !== 'Pod') return object;
  const annotations = Object.fromEntries(
    Object.entries(object.metadata?.annotations ?? {}).filter(([name]) => !history.has(name)),
  );
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** A text without what only this run knows. */
export function anonymous(text: string, own: string, { namespace, cluster }: Known): string {
  const member = new RegExp(`\\b${cluster}(-copy)?-[a-z0-9]{10}\\b`, 'g');
  const name = own.match(member)?.[0];
  const result = (name === undefined ? text : text.replaceAll(name, '<self>'))
    .replace(member, '<member>')
    .replaceAll(namespace, '<namespace>');
  return patterns.reduce((part, [pattern, word]) => part.replace(pattern, word), result);
}

/** Objects by their keys; lists of strings and of members in an order of their own. */
function ordered(name: string, value: unknown, known: Known): unknown {
  if (Array.isArray(value)) {
    const lines = value.map((item: unknown) => item);
    const isSet = name === 'memberDetails' || name === 'conditions' || value.every((item) => typeof item === 'string');
    const isCommand = name === 'command' || name === 'args';
    if (!isSet || isCommand) return lines;
    return lines.sort((a, b) => (rank(a, known) < rank(b, known) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function rank(value: unknown, known: Known): string {
  return anonymous(JSON.stringify(value), '', known);
}
