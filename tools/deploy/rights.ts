// SPDX-License-Identifier: Apache-2.0
/**
 * What the programs do at the API server, and why: every role in deploy/ and example/rbac is generated from this table. The end-to-end
 * tier compares it with what the API server has recorded: a call that no line allows fails there, and so does a verb that nobody used.
 */

/** Where a right is needed. */
export type Place =
  /** In every namespace that is looked after. */
  | 'watched'
  /** In the namespace that the programs run in. */
  | 'own'
  /** On objects that have no namespace; an operator for one namespace does without. */
  | 'cluster'
  /** On its own CRDs, by a program that installs them itself (`-create-crd`, the default). */
  | 'definitions';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** The programs of the image. */
export type ProgramName = 'etcd-operator';

/** One thing that programs may do. */
export interface Right {
  readonly programs: readonly ProgramName[];
  readonly place: Place;
  readonly group: string;
  readonly resource: string;
  /** Only objects of these names. @default all */
  readonly names?: readonly string[];
  readonly verbs: readonly Verb[];
  /** Verbs that ordinary days do not need, each with the day that does. */
  readonly rarely?: Readonly<Partial<Record<Verb, string>>>;
}

const group = 'etcd.database.coreos.com';
const all: readonly ProgramName[] = ['etcd-operator'];
const operator: readonly ProgramName[] = ['etcd-operator'];

/** Informers ask for a stream that begins with everything there is; a server that has no such stream is asked for a list. */
const list = 'the API server does not stream lists';

const watching = { list } as const;

/** CRDs by their names; creating cannot be limited to names. */
const definitions = ['etcdbackups', 'etcdclusters', 'etcdrestores'].map((plural) => `${plural}.${group}`);

export const rights: readonly Right[] = [
  {
    programs: operator,
    place: 'watched',
    group,
    resource: 'etcdclusters',
    verbs: ['get', 'list', 'watch', 'patch'],
    rarely: watching,
  },
  { programs: operator, place: 'watched', group, resource: 'etcdclusters/status', verbs: ['patch'] },
  {
    programs: operator,
    place: 'watched',
    group: '',
    resource: 'pods',
    verbs: ['list', 'watch', 'create', 'patch', 'delete'],
  },
  { programs: operator, place: 'watched', group: '', resource: 'pods/log', verbs: ['get'] },
  { programs: operator, place: 'watched', group: '', resource: 'pods/resize', verbs: ['patch'] },
  {
    programs: operator,
    place: 'watched',
    group: '',
    resource: 'persistentvolumeclaims',
    verbs: ['list', 'watch', 'create', 'patch', 'delete'],
  },
  {
    programs: operator,
    place: 'watched',
    group: '',
    resource: 'services',
    verbs: ['get', 'list', 'watch', 'create', 'patch'],
    rarely: { ...watching, create: 'asked for by the API server when an apply makes the object' },
  },
  {
    programs: operator,
    place: 'watched',
    group: 'policy',
    resource: 'poddisruptionbudgets',
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    rarely: { ...watching, create: 'asked for by the API server when an apply makes the object' },
  },
  { programs: all, place: 'watched', group: '', resource: 'secrets', verbs: ['get'] },
  {
    programs: all,
    place: 'watched',
    group: '',
    resource: 'events',
    verbs: ['create', 'patch'],
    rarely: { patch: 'the same event comes again' },
  },
  {
    programs: operator,
    place: 'cluster',
    group: '',
    resource: 'nodes',
    verbs: ['list', 'watch'],
    rarely: watching,
  },
  {
    programs: all,
    place: 'own',
    group: 'coordination.k8s.io',
    resource: 'leases',
    verbs: ['get', 'list', 'watch', 'create', 'update'],
    rarely: watching,
  },
  // The lock of the original operator, which must not work at the same time: it is looked for, never changed.
  { programs: all, place: 'own', group: '', resource: 'endpoints', names: [...all], verbs: ['get'] },
  {
    programs: all,
    place: 'definitions',
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    verbs: ['create'],
    rarely: { create: 'asked for by the API server when an apply makes the object' },
  },
  {
    programs: all,
    place: 'definitions',
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    names: definitions,
    verbs: ['get', 'patch'],
    rarely: { get: 'the API server takes its time to serve a new CRD' },
  },
];
