// SPDX-License-Identifier: Apache-2.0
import { type Client, subjectAccessReviews, tokenReviews } from '@operator-parts/kube';
import type { ReaderVerdict } from './secure-metrics.ts';

/**
 * Lets the API server decide who may read metrics: to whom a token belongs, and whether that user may `get` the path
 * `/metrics`. Needs the rights of the built-in ClusterRole `system:auth-delegator`.
 */
export function metricsReaders(client: Client): (token: string) => Promise<ReaderVerdict> {
  return async (token) => {
    const { status: known } = await client.resource(tokenReviews).create({ spec: { token } });
    if (!known?.authenticated) return 'Unknown';
    const { username = '', groups = [], uid = '', extra = {} } = known.user ?? {};
    const nonResourceAttributes = { path: '/metrics', verb: 'get' };
    const spec = { user: username, groups, uid, extra, nonResourceAttributes };
    const { status: verdict } = await client.resource(subjectAccessReviews).create({ spec });
    return verdict?.allowed ? 'Allowed' : 'Denied';
  };
}
