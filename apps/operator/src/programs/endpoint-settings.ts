// SPDX-License-Identifier: Apache-2.0
import { parseGrant } from '../backup/act/endpoint/endpoint-grant.ts';
import type { EndpointRules } from '../backup/act/endpoint/endpoint-rules.ts';
import { apiServerHosts } from './api-server-hosts.ts';
import { commaSeparated } from './comma-separated.ts';
import { FlagError } from './go-flags.ts';

/** The settings for `spec.etcdEndpoints`, from the flags. */
export function endpointSettings(
  flags: { readonly 'allow-etcd-endpoints': string },
  env: NodeJS.ProcessEnv,
): Omit<EndpointRules, 'isShared'> {
  const granted = commaSeparated(flags['allow-etcd-endpoints']).map((entry) => {
    const grant = parseGrant(entry);
    if (grant) return grant;
    throw new FlagError(
      `invalid entry "${entry}" in -allow-etcd-endpoints: write hosts and networks like *.example.com,10.0.0.0/8`,
    );
  });
  return { granted, refused: apiServerHosts(env) };
}
