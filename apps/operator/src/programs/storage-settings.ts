// SPDX-License-Identifier: Apache-2.0
import { isNetwork, proxyOf } from '@operator-parts/blob';
import type { StorageSettings } from '../storage/open-store.ts';
import { apiServerHosts } from './api-server-hosts.ts';
import { commaSeparated } from './comma-separated.ts';
import { FlagError } from './go-flags.ts';

/** The settings for stores, from the flags. */
export function storageSettings(
  flags: {
    readonly 'backup-directory': string;
    readonly 'allow-endpoints': string;
    readonly 'path-prefix': string;
    readonly 'ambient-credentials': string;
    readonly 'require-secret-label': boolean;
  },
  env: NodeJS.ProcessEnv,
): StorageSettings {
  const { 'backup-directory': directory, 'path-prefix': pathPrefix } = flags;
  const allow = commaSeparated(flags['allow-endpoints']);
  const odd = allow.find((entry) => entry.includes('/') && !isNetwork(entry));
  if (odd !== undefined)
    throw new FlagError(
      `invalid entry "${odd}" in -allow-endpoints: write hosts and networks like *.example.com,10.0.0.0/8`,
    );
  const proxy = proxyOf(env);
  const namespaces = commaSeparated(flags['ambient-credentials']);
  return {
    ambient: namespaces.includes('*') ? 'all' : namespaces,
    ...(directory && { directory }),
    ...(pathPrefix && { pathPrefix }),
    ...(flags['require-secret-label'] && { secretLabel: 'required' }),
    policy: { deny: apiServerHosts(env), ...(allow.length > 0 && { allow }), ...(proxy && { proxy }) },
  };
}
