// SPDX-License-Identifier: Apache-2.0
import type { Informer } from '@operator-parts/controller-runtime';
import { apiVersionOf, type KubeObject, qualifiedName } from '@operator-parts/kube';
import type { Clock, Logger } from '@operator-parts/ports';

/** How often the reason for an incomplete cache is checked, in milliseconds. */
const period = 250;

/**
 * Resolves with true when the cache is complete, with false if `signal` is aborted first. Logs if the kind is not
 * installed; the informer keeps trying, so that work begins soon after the CRD is applied.
 */
export async function waitForCache<T extends KubeObject>(
  informer: Informer<T>,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  signal: AbortSignal,
): Promise<boolean> {
  const synced = informer.whenSynced(signal);
  let isReported = false;
  while (!informer.hasSynced && !signal.aborted) {
    if (informer.status.problem?.kind === 'missing' && !isReported) {
      const { resource } = informer;
      const missing = `the server could not find the requested resource (get ${qualifiedName(resource)})`;
      log.warn(`Failed to list ${resource.kind} of ${apiVersionOf(resource)}: ${missing}; waiting for its CRD`);
      isReported = true;
    }
    await Promise.race([synced, clock.sleep(period, signal).catch(() => undefined)]);
  }
  return synced;
}
