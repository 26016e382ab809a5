// SPDX-License-Identifier: Apache-2.0
import type { RequestSummary } from '@etcd-operator/kube';
import type { Logger } from '@etcd-operator/ports';

/** Some warnings carry names, and then there is no end of different ones. */
const most = 100;

/**
 * Logs what the API server warns of, each warning once: a field that this version of Kubernetes does not know and has dropped, a version
 * that will be removed. Without this the warning would never be seen, because the request succeeds.
 */
export function logWarnings(log: Pick<Logger, 'warn'>): (warning: string, request: RequestSummary) => void {
  const said = new Set<string>();
  return (warning, { method, path }) => {
    if (said.has(warning) || said.size >= most) return;
    said.add(warning);
    log.warn('the API server warns', { warning, request: `${method} ${path}` });
  };
}
