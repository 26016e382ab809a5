// SPDX-License-Identifier: Apache-2.0
import type { RequestSummary } from '@operator-parts/kube';
import type { Logger } from '@operator-parts/ports';

/** The highest number of different warnings that are logged. Some warnings contain names of objects, so there may be very many. */
const most = 100;

/**
 * Logs each warning of the API server once: for example, that this version of Kubernetes does not know a field and dropped it, or that an
 * API version will be removed. Otherwise such a warning would be lost, because the request succeeds.
 */
export function logWarnings(log: Pick<Logger, 'warn'>): (warning: string, request: RequestSummary) => void {
  const said = new Set<string>();
  return (warning, { method, path }) => {
    if (said.has(warning) || said.size >= most) return;
    said.add(warning);
    log.warn('the API server warns', { warning, request: `${method} ${path}` });
  };
}
