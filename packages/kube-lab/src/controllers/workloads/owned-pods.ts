// SPDX-License-Identifier: Apache-2.0
import {
  isKubeError,
  type KubeObject,
  keyOf,
  keyString,
  type LabelSelector,
  matchesLabelSelector,
  type OwnerReference,
  type Pod,
  type PodTemplateSpec,
  pods,
  type Resource,
} from '@operator-parts/kube';
import type { ControllerContext } from '../controller.ts';

/** An object that creates pods. */
export type Owner = KubeObject & { readonly spec?: { readonly selector?: LabelSelector } | undefined };

/** The owner reference from a pod to its creator. */
export function controllerReference(owner: KubeObject, apiVersion: string, kind: string): OwnerReference {
  const { name = '', uid = '' } = owner.metadata ?? {};
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The controller of an object. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller);
}

/** The key of an object's controller, if it has the given kind; for queues. */
export function controllerKey(object: KubeObject, kind: string): string | undefined {
  const reference = controllerOf(object);
  const { namespace } = object.metadata ?? {};
  if (reference?.kind !== kind) return undefined;
  return keyString(namespace ? { namespace, name: reference.name } : { name: reference.name });
}

/** A pod as a template declares it, owned by `owner`. */
export function podFromTemplate(template: PodTemplateSpec, owner: OwnerReference, metadata: Pod['metadata']): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  if (!template.spec) throw new TypeError(`the template of ${owner.kind} ${owner.name} has no spec`);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ...metadata,
      labels: { ...labels, ...metadata?.labels },
      ownerReferences: [owner],
    },
    spec: template.spec,
  };
}

/** The pods of an owner; see `claim`. */
export function claimPods(
  context: ControllerContext,
  owner: Owner,
  reference: OwnerReference,
): Promise<readonly Pod[]> {
  return claim(context, pods, owner, reference);
}

/**
 * The objects of an owner: those that it controls and that match its selector. Matching orphans are adopted; controlled
 * ones that no longer match are released.
 */
export async function claim<T extends KubeObject>(
  context: ControllerContext,
  resource: Resource<T>,
  owner: Owner,
  reference: OwnerReference,
): Promise<readonly T[]> {
  const own: T[] = [];
  for (const object of context.caches.of(resource).inNamespace(owner.metadata?.namespace ?? '')) {
    const controller = controllerOf(object);
    const { labels, ownerReferences = [], deletionTimestamp } = object.metadata ?? {};
    const matches = matchesLabelSelector(owner.spec?.selector, labels);
    if (controller?.uid === reference.uid) {
      if (matches) own.push(object);
      else {
        const others = ownerReferences.filter(({ uid }) => uid !== reference.uid);
        await setOwners(context, resource, object, others);
      }
    } else if (!controller && matches && !deletionTimestamp && !owner.metadata?.deletionTimestamp) {
      const adopted = await setOwners(context, resource, object, [...ownerReferences, reference]);
      if (adopted) own.push(adopted);
    }
  }
  return own;
}

async function setOwners<T extends KubeObject>(
  { client }: ControllerContext,
  resource: Resource<T>,
  object: T,
  ownerReferences: readonly OwnerReference[],
): Promise<T | undefined> {
  const { uid, resourceVersion } = object.metadata ?? {};
  const patch = { metadata: { uid, resourceVersion, ownerReferences } };
  try {
    return await client.resource(resource).patch(keyOf(object), { type: 'merge', patch });
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Deletes a pod with exactly this UID; does nothing if it is gone. */
export async function deletePod({ client }: ControllerContext, pod: Pod): Promise<void> {
  const { uid } = pod.metadata ?? {};
  try {
    await client.resource(pods).delete(keyOf(pod), uid ? { preconditions: { uid } } : {});
  } catch (error) {
    if (!isKubeError(error, 'NotFound', 'Conflict')) throw error;
  }
}
