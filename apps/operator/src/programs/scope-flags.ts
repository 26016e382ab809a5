// SPDX-License-Identifier: Apache-2.0
import { FlagError } from './go-flags.ts';

/** Flags for which objects a program manages. */
export const scopeFlags = {
  'cluster-wide': {
    kind: 'boolean',
    default: false,
    help: 'manage the objects of all namespaces, except namespaces that have their own operator (one that holds a Lease there)',
  },
  namespaces: {
    kind: 'string',
    default: '',
    help: "manage the objects of these namespaces, separated by commas, instead of those in the operator's own namespace",
  },
  'only-annotated': {
    kind: 'boolean',
    default: false,
    help: 'with -cluster-wide: manage only objects with the annotation etcd.database.coreos.com/scope: clusterwide, as the CoreOS etcd-operator did',
  },
} as const;

interface ScopeFlags {
  readonly 'cluster-wide': boolean;
  readonly namespaces: string;
  readonly 'only-annotated': boolean;
}

export function scopeOptions({ 'cluster-wide': clusterWide, namespaces, 'only-annotated': onlyAnnotated }: ScopeFlags) {
  const names = [...new Set(namespaces.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])))];
  if (clusterWide && names.length > 0) throw new FlagError('-cluster-wide and -namespaces cannot be used together');
  if (onlyAnnotated && !clusterWide) throw new FlagError('-only-annotated needs -cluster-wide');
  const odd = names.find((name) => !/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name));
  if (odd !== undefined)
    throw new FlagError(`invalid namespace "${odd}" in -namespaces: use a list such as team-a,team-b`);
  return { clusterWide, onlyAnnotated, namespaces: names };
}
