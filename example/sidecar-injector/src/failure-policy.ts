// SPDX-License-Identifier: Apache-2.0
import type { MutatingWebhook, MutatingWebhookConfiguration } from '@operator-parts/kube';

/** What happens to a request without a valid answer. */
export type FailurePolicy = 'Fail' | 'Ignore';

/**
 * The failure policy of the webhook for `path`. A request does not say which webhook it belongs to, so each webhook has
 * its own path; if several share one, a single `Fail` applies to all.
 */
export function failurePolicyAt(path: string, configuration: MutatingWebhookConfiguration | undefined): FailurePolicy {
  const callers = (configuration?.webhooks ?? []).filter((webhook) => pathOf(webhook) === path);
  return callers.length > 0 && callers.every(({ failurePolicy }) => failurePolicy === 'Ignore') ? 'Ignore' : 'Fail';
}

function pathOf({ clientConfig: { service, url } }: MutatingWebhook): string | undefined {
  return url === undefined ? service?.path : new URL(url).pathname;
}
