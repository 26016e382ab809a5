// SPDX-License-Identifier: Apache-2.0

/** The API server as pods see it. No store is there and no etcd that backups are made of, so that no endpoint of an object may lead there. */
export function apiServerHosts(env: NodeJS.ProcessEnv): readonly string[] {
  const names = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.*'];
  const host = env['KUBERNETES_SERVICE_HOST']?.replace(/^\[|\]$/g, '').toLowerCase();
  return host ? [...names, host] : names;
}
