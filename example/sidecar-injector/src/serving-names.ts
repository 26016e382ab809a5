// SPDX-License-Identifier: Apache-2.0
import type { MutatingWebhookConfiguration } from '@operator-parts/kube';

/** The names that the API server connects to, from the webhook configuration: a Service, or the host of a URL. */
export function servingNames(configuration: MutatingWebhookConfiguration): readonly string[] {
  const names = (configuration.webhooks ?? []).flatMap(({ clientConfig: { service, url } }) => {
    if (service) return [`${service.name}.${service.namespace}.svc`];
    return url === undefined ? [] : [new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')];
  });
  return [...new Set(names)].sort();
}
