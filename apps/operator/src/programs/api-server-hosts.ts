// SPDX-License-Identifier: Apache-2.0

/** The API server as pods address it. It is never a store or an etcd to back up, so no endpoint of an object may lead to it. */
export function apiServerHosts(env: NodeJS.ProcessEnv): readonly string[] {
  const names = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.*'];
  const host = env['KUBERNETES_SERVICE_HOST']?.replace(/^\[|\]$/g, '').toLowerCase();
  return host ? [...names, host] : names;
}
