// SPDX-License-Identifier: Apache-2.0
import { allow, change, deny, type Lister, type Mutation, type Mutator } from '@etcd-operator/controller-runtime';
import type { ConfigMap, MutatingWebhookConfiguration, Namespace, Pod } from '@etcd-operator/kube';
import { inject } from './inject.ts';
import { configName, readSidecar, SidecarError } from './sidecar.ts';
import { wantsSidecar } from './wants-sidecar.ts';

/** The caches that a decision is made from: no request, no wait. */
export interface PodWebhookOptions {
  /** Where the ConfigMap is. */
  readonly namespace: string;
  readonly configMaps: Lister<ConfigMap>;
  readonly namespaces: Lister<Namespace>;
  readonly configurations: Lister<MutatingWebhookConfiguration>;
}

/** Answers the API server when somebody creates a Pod. Asked twice about the same Pod, it gives the same Pod. */
export function podWebhook(options: PodWebhookOptions): Mutator<Pod> {
  const { namespace: home, configMaps, namespaces } = options;
  return ({ object: pod, operation, subResource, namespace = '' }) => {
    if (!pod || operation !== 'CREATE' || subResource) return allow();
    if (!wantsSidecar(pod, namespace, namespaces.get(namespace))) return allow();
    try {
      return change(inject(pod, readSidecar(home, configMaps.get(`${home}/${configName}`))));
    } catch (error) {
      if (error instanceof SidecarError) return withoutSidecar(error.message, options);
      throw error;
    }
  };
}

/**
 * The sidecar cannot be had. What follows is what the failure policy of the webhook says for every other failure: refuse the
 * Pod, or let it pass as it is, with a warning that kubectl shows.
 */
function withoutSidecar(problem: string, { configurations }: PodWebhookOptions): Mutation<Pod> {
  const webhooks = configurations.list().flatMap((configuration) => configuration.webhooks ?? []);
  const isIgnored = webhooks.length > 0 && webhooks.every(({ failurePolicy }) => failurePolicy === 'Ignore');
  if (isIgnored) return allow({ warnings: [`this Pod gets no sidecar: ${problem}`] });
  return deny(`this Pod needs a sidecar, which cannot be had: ${problem}`);
}
