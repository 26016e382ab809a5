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

const group = 'etcd.database.coreos.com';
const cluster: readonly ProgramName[] = ['etcd-operator'];
const backup: readonly ProgramName[] = ['etcd-backup-operator'];
const restore: readonly ProgramName[] = ['etcd-restore-operator'];

/** Informers request a streaming list; a server without them is asked for a list. */
const watching = { list: 'the API server does not stream lists' } as const;
const applying = { create: 'asked for by the API server when an apply makes the object' } as const;

/** Rights of the etcd-operator: for members and their objects. */
const ofClusters: readonly Right[] = [
  {
    programs: cluster,
    place: 'watched',
    group,
    resource: 'etcdclusters',
    verbs: ['get', 'list', 'watch', 'patch'],
    rarely: watching,
  },
  { programs: cluster, place: 'watched', group, resource: 'etcdclusters/status', verbs: ['patch'] },
  {
    programs: cluster,
    place: 'watched',
    group: '',
    resource: 'pods',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    rarely: { get: 'a member is about to be replaced: its pod may only have lost its labels' },
  },
  {
    programs: cluster,
    place: 'watched',
    group: '',
    resource: 'pods/log',
    verbs: ['get'],
    rarely: { get: 'a pod that proves a new image has ended and is still there' },
  },
  { programs: cluster, place: 'watched', group: '', resource: 'pods/resize', verbs: ['patch'] },
  {
    programs: cluster,
    place: 'watched',
    group: '',
    resource: 'persistentvolumeclaims',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    rarely: { get: 'a member is about to be replaced: its volume may only have lost its labels' },
  },
  {
    programs: cluster,
    place: 'watched',
    group: '',
    resource: 'services',
    verbs: ['get', 'list', 'watch', 'create', 'patch'],
    rarely: { ...watching, ...applying },
  },
  {
    programs: cluster,
    place: 'watched',
    group: 'policy',
    resource: 'poddisruptionbudgets',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    rarely: { ...watching, ...applying },
  },
  {
    programs: cluster,
    place: 'watched',
    group,
    resource: 'etcdrestores',
    verbs: ['get', 'create'],
    rarely: {
      get: 'a cluster whose spec.recovery.quorumLoss is Automatic has lost its quorum',
      create: 'a majority of its members is permanently lost',
    },
  },
  { programs: cluster, place: 'secrets', group: '', resource: 'secrets', verbs: ['get'] },
  { programs: cluster, place: 'cluster', group: '', resource: 'nodes', verbs: ['list', 'watch'], rarely: watching },
];

const proving = 'a backup is tested by restoring it to a temporary member';

/**
 * Rights of the etcd-backup-operator: for its objects, and the throw-away members that prove backups; it records the
 * EtcdCluster of a backup in the manifest, or reads it from the spec.
 */
const ofBackups: readonly Right[] = [
  {
    programs: backup,
    place: 'watched',
    group,
    resource: 'etcdbackups',
    verbs: ['get', 'list', 'watch', 'patch', 'delete'],
    rarely: {
      ...watching,
      get: 'a cluster-wide operator makes sure that it manages the object',
      patch: 'stored backups are to go with their EtcdBackup',
      delete: 'the time to live of a finished one is over',
    },
  },
  { programs: backup, place: 'watched', group, resource: 'etcdbackups/status', verbs: ['patch'] },
  {
    programs: backup,
    place: 'watched',
    group,
    resource: 'etcdclusters',
    verbs: ['get', 'list'],
    rarely: { get: 'a backup names its cluster in clusterRef' },
  },
  // To find the owners of addresses: members of the clusterRef, and endpoints in a spec.
  {
    programs: backup,
    place: 'watched',
    group: '',
    resource: 'pods',
    verbs: ['get', 'list', 'create', 'delete'],
    rarely: {
      list: 'a backup names its cluster in clusterRef, or the operator manages several namespaces',
      get: proving,
      create: proving,
      delete: proving,
    },
  },
  {
    programs: backup,
    place: 'watched',
    group: '',
    resource: 'services',
    verbs: ['list'],
    rarely: { list: 'the operator manages several namespaces, or a password would go without TLS' },
  },
  {
    programs: backup,
    place: 'secrets',
    group: '',
    resource: 'secrets',
    verbs: ['get', 'create', 'delete'],
    rarely: { create: proving, delete: proving },
  },
];

/** Rights of the etcd-restore-operator: for the restored cluster, its first member, and the Secret for the delivery. */
const ofRestores: readonly Right[] = [
  {
    programs: restore,
    place: 'watched',
    group,
    resource: 'etcdrestores',
    verbs: ['get', 'list', 'watch', 'patch', 'delete'],
    rarely: {
      get: 'a cluster-wide operator makes sure that it manages the object',
      ...watching,
      delete: 'the time to live of a finished one is over',
    },
  },
  { programs: restore, place: 'watched', group, resource: 'etcdrestores/status', verbs: ['patch'] },
  {
    programs: restore,
    place: 'watched',
    group,
    resource: 'etcdclusters',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    rarely: {
      ...watching,
      get: 'a restore fails, copies a cluster or writes keys to one',
      create: 'the cluster is gone',
      delete: 'a restore of a new cluster is aborted',
    },
  },
  { programs: restore, place: 'watched', group, resource: 'etcdclusters/status', verbs: ['patch'] },
  {
    programs: restore,
    place: 'watched',
    group: '',
    resource: 'pods',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    rarely: { ...watching, delete: 'what is left of the members before' },
  },
  {
    programs: restore,
    place: 'watched',
    group: '',
    resource: 'persistentvolumeclaims',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    rarely: {
      ...watching,
      get: 'a safety snapshot of a volume whose member does not run',
      create: 'members with volumes',
      patch: 'members with volumes',
      delete: 'the retention of old volumes is over, or a restore is aborted',
    },
  },
  {
    programs: restore,
    place: 'cluster',
    group: '',
    resource: 'nodes',
    verbs: ['get'],
    rarely: { get: 'pods of a deleted cluster of the same name do not end' },
  },
  { programs: restore, place: 'secrets', group: '', resource: 'secrets', verbs: ['get', 'create', 'delete'] },
];

/** CRDs by their names; creating cannot be limited to names. */
const definitions = ['etcdbackups', 'etcdclusters', 'etcdrestores'].map((plural) => `${plural}.${group}`);
const crds = { place: 'definitions', group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' } as const;

/** Rights of all operators: leases, events, and their kinds. */
const ofAll: readonly Right[] = [
  {
    programs,
    place: 'watched',
    group,
    resource: 'etcdclusters',
    verbs: ['operate'],
    rarely: { operate: 'the admission policy is installed and asks who changes an object' },
  },
  {
    programs,
    place: 'watched',
    group: '',
    resource: 'events',
    verbs: ['create', 'patch'],
    rarely: { patch: 'the same event comes again' },
  },
  {
    programs,
    place: 'own',
    group: 'coordination.k8s.io',
    resource: 'leases',
    verbs: ['get', 'list', 'watch', 'create', 'update'],
    rarely: watching,
  },
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
