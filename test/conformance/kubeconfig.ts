// SPDX-License-Identifier: Apache-2.0
import { parse } from 'yaml';
import type { HttpsTarget } from './https-transport.ts';

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
}

/** The first cluster and user of a self-contained kubeconfig. */
export function targetOf(kubeconfig: string): HttpsTarget {
  const { clusters, users } = parse(kubeconfig) as Kubeconfig;
  const [{ cluster }] = clusters;
  const [{ user }] = users;
  const pem = (text: string | undefined) => Buffer.from(text ?? '', 'base64').toString('utf8');
  return {
    url: cluster['server'] ?? '',
    ca: pem(cluster['certificate-authority-data']),
    certificate: { cert: pem(user['client-certificate-data']), key: pem(user['client-key-data']) },
  };
}
