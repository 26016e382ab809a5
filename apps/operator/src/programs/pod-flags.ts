// SPDX-License-Identifier: Apache-2.0
import type { PodGrants } from '../cluster/grants/pod-grants.ts';
import { commaSeparated } from './comma-separated.ts';

/** Flags of programs that create members: which pods EtcdClusters may have. */
export const podFlags = {
  'allow-privileged-pods': {
    kind: 'string',
    default: '',
    help: 'namespaces, separated by commas, whose EtcdClusters may weaken the restricted Pod Security Standard in spec.pod; * for all, empty for none',
  },
  'allow-repositories': {
    kind: 'string',
    default: '',
    help: 'repositories, separated by commas, that images of EtcdClusters may come from; example: quay.io/coreos,registry.example.com; empty for all',
  },
  'allow-sidecars': {
    kind: 'string',
    default: '',
    help: 'namespaces, separated by commas, whose EtcdClusters may add containers and volumes to members, and so read every Secret of the namespace; * for all, empty for none',
  },
  'allow-service-accounts': {
    kind: 'string',
    default: '',
    help: 'service accounts, separated by commas, that members of EtcdClusters may have; example: shop/backup,shop/default; * for all, empty for none',
  },
} as const;

export function podGrants(flags: { readonly [name in keyof typeof podFlags]: string }): PodGrants {
  return {
    privileged: allOr(flags['allow-privileged-pods']),
    repositories: commaSeparated(flags['allow-repositories']),
    sidecars: allOr(flags['allow-sidecars']),
    serviceAccounts: allOr(flags['allow-service-accounts']),
  };
}

function allOr(text: string): readonly string[] | 'all' {
  const entries = commaSeparated(text);
  return entries.includes('*') ? 'all' : entries;
}
