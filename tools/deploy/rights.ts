// SPDX-License-Identifier: Apache-2.0
/**
 * The programs' rights at the API server, with reasons: every role in deploy/ and example/rbac is generated from this
 * table. The end-to-end tests compare it with the API server's audit log: a call without a line fails there, and so
 * does an unused verb.
 */

/** Where a right is needed. */
export type Place =
  /** In every managed namespace. */
  | 'watched'
  /** The same for Secrets, which a cluster-wide operator may get in some namespaces only. */
  | 'secrets'
  /** In the namespace of the operator's pods. */
  | 'own'
  /** On cluster-scoped objects; an operator for one namespace does not need it. */
  | 'cluster'
  /** In all namespaces, on objects that show a cluster-wide operator where other operators run. */
  | 'everywhere'
  /** On its own CRDs, for a program that installs them itself (`-create-crd`, the default). */
  | 'definitions';

/** In the order of roles. `operate` is our own verb: it marks operators (admission-policy.ts). */
export const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'operate'] as const;
export type Verb = (typeof verbs)[number];

/** The operators of the image. */
export const programs = ['etcd-operator', 'etcd-backup-operator', 'etcd-restore-operator'] as const;
export type ProgramName = (typeof programs)[number];

/** One right of programs. */
export interface Right {
  readonly programs: readonly ProgramName[];
  readonly place: Place;
  readonly group: string;
  readonly resource: string;
  /** Only objects with these names. @default all */
  readonly names?: readonly string[];
  readonly verbs: readonly Verb[];
  /** Verbs that are rarely needed, each with its situation. */
  readonly rarely?: Readonly<Partial<Record<Verb, string>>>;
}

/** A right on a resource, which is given as `resource` or `resource.group`, over all its names. */
function right(
  programs: readonly ProgramName[],
  place: Place,
  of: string,
  verbs: readonly Verb[],
  rarely?: Right['rarely'],
): Right {
  const [resource = '', ...group] = of.split('.');
  return { programs, place, group: group.join('.'), resource, verbs, ...(rarely !== undefined && { rarely }) };
}

const group = 'etcd.database.coreos.com';
const cluster: readonly ProgramName[] = ['etcd-operator'];
const backup: readonly ProgramName[] = ['etcd-backup-operator'];
const restore: readonly ProgramName[] = ['etcd-restore-operator'];

/** Informers request a streaming list; a server without them is asked for a list. */
const watching = { list: 'the API server does not stream lists' } as const;
const applying = { create: 'asked for by the API server when an apply makes the object' } as const;

/** Rights of the etcd-operator: for members and their objects. */
const ofClusters: readonly Right[] = [
  right(cluster, 'watched', `etcdclusters.${group}`, ['get', 'list', 'watch', 'patch'], watching),
  right(cluster, 'watched', `etcdclusters/status.${group}`, ['patch']),
  right(cluster, 'watched', 'pods', ['get', 'list', 'watch', 'create', 'patch', 'delete'], {
    get: 'a member is about to be replaced: its pod may only have lost its labels',
  }),
  right(cluster, 'watched', 'pods/log', ['get'], { get: 'a pod that proves a new image has ended and is still there' }),
  right(cluster, 'watched', 'pods/resize', ['patch']),
  right(cluster, 'watched', 'persistentvolumeclaims', ['get', 'list', 'watch', 'create', 'patch', 'delete'], {
    get: 'a member is about to be replaced: its volume may only have lost its labels',
  }),
  right(cluster, 'watched', 'services', ['get', 'list', 'watch', 'create', 'patch'], { ...watching, ...applying }),
  right(cluster, 'watched', 'poddisruptionbudgets.policy', ['get', 'list', 'watch', 'create', 'patch', 'delete'], {
    ...watching,
    ...applying,
  }),
  right(cluster, 'watched', `etcdrestores.${group}`, ['get', 'create'], {
    get: 'a cluster whose spec.recovery.quorumLoss is Automatic has lost its quorum',
    create: 'a majority of its members is permanently lost',
  }),
  right(cluster, 'secrets', 'secrets', ['get']),
  right(cluster, 'cluster', 'nodes', ['list', 'watch'], watching),
];

const proving = 'a backup is tested by restoring it to a temporary member';

/**
 * Rights of the etcd-backup-operator: for its objects, and the throw-away members that prove backups; it records the
 * EtcdCluster of a backup in the manifest, or reads it from the spec.
 */
const ofBackups: readonly Right[] = [
  right(backup, 'watched', `etcdbackups.${group}`, ['get', 'list', 'watch', 'patch', 'delete'], {
    ...watching,
    get: 'a cluster-wide operator makes sure that it manages the object',
    patch: 'stored backups are to go with their EtcdBackup',
    delete: 'the time to live of a finished one is over',
  }),
  right(backup, 'watched', `etcdbackups/status.${group}`, ['patch']),
  right(backup, 'watched', `etcdclusters.${group}`, ['get', 'list'], {
    get: 'a backup names its cluster in clusterRef',
  }),
  // To find the owners of addresses: members of the clusterRef, and endpoints in a spec.
  right(backup, 'watched', 'pods', ['get', 'list', 'create', 'delete'], {
    list: 'a backup names its cluster in clusterRef, or the operator manages several namespaces',
    get: proving,
    create: proving,
    delete: proving,
  }),
  right(backup, 'watched', 'services', ['list'], {
    list: 'the operator manages several namespaces, or a password would go without TLS',
  }),
  right(backup, 'secrets', 'secrets', ['get', 'create', 'delete'], { create: proving, delete: proving }),
];

/** Rights of the etcd-restore-operator: for the restored cluster, its first member, and the Secret for the delivery. */
const ofRestores: readonly Right[] = [
  right(restore, 'watched', `etcdrestores.${group}`, ['get', 'list', 'watch', 'patch', 'delete'], {
    get: 'a cluster-wide operator makes sure that it manages the object',
    ...watching,
    delete: 'the time to live of a finished one is over',
  }),
  right(restore, 'watched', `etcdrestores/status.${group}`, ['patch']),
  right(restore, 'watched', `etcdclusters.${group}`, ['get', 'list', 'watch', 'create', 'patch', 'delete'], {
    ...watching,
    get: 'a restore fails, copies a cluster or writes keys to one',
    create: 'the cluster is gone',
    delete: 'a restore of a new cluster is aborted',
  }),
  right(restore, 'watched', `etcdclusters/status.${group}`, ['patch']),
  right(restore, 'watched', 'pods', ['get', 'list', 'watch', 'create', 'patch', 'delete'], {
    ...watching,
    delete: 'what is left of the members before',
  }),
  right(restore, 'watched', 'persistentvolumeclaims', ['get', 'list', 'watch', 'create', 'patch', 'delete'], {
    ...watching,
    get: 'a safety snapshot of a volume whose member does not run',
    create: 'members with volumes',
    patch: 'members with volumes',
    delete: 'the retention of old volumes is over, or a restore is aborted',
  }),
  right(restore, 'cluster', 'nodes', ['get'], { get: 'pods of a deleted cluster of the same name do not end' }),
  right(restore, 'secrets', 'secrets', ['get', 'create', 'delete']),
];

/** CRDs by their names; creating cannot be limited to names. */
const definitions = ['etcdbackups', 'etcdclusters', 'etcdrestores'].map((plural) => `${plural}.${group}`);
const crds = { place: 'definitions', group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' } as const;

/** Rights of all operators: leases, events, and their kinds. */
const ofAll: readonly Right[] = [
  right(programs, 'watched', `etcdclusters.${group}`, ['operate'], {
    operate: 'the admission policy is installed and asks who changes an object',
  }),
  right(programs, 'watched', 'events', ['create', 'patch'], { patch: 'the same event comes again' }),
  right(programs, 'own', 'leases.coordination.k8s.io', ['get', 'list', 'watch', 'create', 'update'], watching),
  // The locks of CoreOS's operators, which must not run at the same time: they are read, never changed.
  { programs, place: 'own', group: '', resource: 'endpoints', names: programs, verbs: ['get'] },
  // Rights of a cluster-wide operator: the Leases and locks of operators for one namespace.
  ...programs.flatMap((program): readonly Right[] => [
    {
      ...{ programs: [program], place: 'everywhere', group: 'coordination.k8s.io', resource: 'leases' },
      names: [program, `${program}-cluster-wide`],
      verbs: ['get', 'list', 'watch'],
      rarely: watching,
    },
    {
      ...{ programs: [program], place: 'everywhere', group: '', resource: 'endpoints' },
      names: [program],
      verbs: ['list', 'watch'],
      rarely: watching,
    },
  ]),
  { programs, ...crds, verbs: ['create'], rarely: applying },
  {
    programs,
    ...crds,
    names: definitions,
    verbs: ['get', 'patch'],
    rarely: { get: 'the API server takes its time to serve a new CRD' },
  },
];

export const rights: readonly Right[] = [...ofClusters, ...ofBackups, ...ofRestores, ...ofAll];
