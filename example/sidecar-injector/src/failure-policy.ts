// SPDX-License-Identifier: Apache-2.0
import type { MutatingWebhook, MutatingWebhookConfiguration } from '@etcd-operator/kube';

/** What is to become of a request that gets no proper answer. */
export type FailurePolicy = 'Fail' | 'Ignore';

/**
 * The failure policy of the webhook that calls at `path`. An API server does not say on behalf of which webhook it asks, so each
 * has a path of its own; should several share one, a single `Fail` counts for all.
 */
export function failurePolicyAt(path: string, configuration: MutatingWebhookConfiguration | undefined): FailurePolicy {
  const callers = (configuration?.webhooks ?? []).filter((webhook) => pathOf(webhook) === path);
  return callers.length > 0 && callers.every(({ failurePolicy }) => failurePolicy === 'Ignore') ? 'Ignore' : 'Fail';
}

function pathOf({ clientConfig: { service, url } }: MutatingWebhook): string | undefined {
  return url === undefined ? service?.path : new URL(url).pathname;
}
