// SPDX-License-Identifier: Apache-2.0
import { allow, change, deny, type Lister, type Mutation, type Mutator } from '@operator-parts/controller-runtime';
import type { ConfigMap, Namespace, Pod } from '@operator-parts/kube';
import type { FailurePolicy } from './failure-policy.ts';
import { inject } from './inject.ts';
import { configName, readSidecar, type Sidecar, SidecarError } from './sidecar.ts';
import { wantsSidecar } from './wants-sidecar.ts';

/** The caches for a decision: no request, no wait. */
export interface PodWebhookOptions {
  /** Where the ConfigMap is. */
  readonly namespace: string;
  readonly configMaps: Lister<ConfigMap>;
  readonly namespaces: Lister<Namespace>;
  /** What to do with a Pod if the sidecar is not available. */
  readonly failurePolicy: () => FailurePolicy;
}

/** Answers the API server when a Pod is created. The same Pod always gets the same answer. */
export function podWebhook(options: PodWebhookOptions): Mutator<Pod> {
  const { namespace: home, configMaps, namespaces, failurePolicy } = options;
  return ({ object: pod, operation, subResource, namespace = '' }) => {
    if (!pod || operation !== 'CREATE' || subResource) return allow();
    if (!wantsSidecar(pod, namespace, namespaces.get(namespace))) return allow();
    try {
      const sidecar = readSidecar(home, configMaps.get(`${home}/${configName}`));
      assertImages(pod, sidecar, home);
      return change(inject(pod, sidecar));
    } catch (error) {
      if (error instanceof SidecarError) return withoutSidecar(error.message, failurePolicy());
      throw error;
    }
  };
}

/** A container without an image can only be merged into an existing one. */
function assertImages(pod: Pod, sidecar: Sidecar, home: string): void {
  const present = new Set(pod.spec?.containers.map(({ name }) => name));
  const bare = sidecar.containers.find(({ name, image }) => !image && !present.has(name));
  if (!bare) return;
  throw new SidecarError(`${home}/${configName}`, `has no image for ${bare.name}, a container that this Pod lacks`);
}

/**
 * The sidecar is not available. The failure policy of the webhook applies as for other failures: refuse the Pod, or
 * admit it unchanged with a warning that kubectl shows.
 */
function withoutSidecar(problem: string, policy: FailurePolicy): Mutation<Pod> {
  if (policy === 'Ignore') return allow({ warnings: [`this Pod gets no sidecar: ${problem}`] });
  return deny(`this Pod needs a sidecar, which cannot be had: ${problem}`);
}
