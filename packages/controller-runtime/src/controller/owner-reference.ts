// SPDX-License-Identifier: Apache-2.0
import { apiVersionOf, type KubeObject, type OwnerReference, type Resource } from '@operator-parts/kube';

/** The reference to the object that controls this one, if any. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
}

/** True if `object` is controlled by exactly this owner: the same UID, not merely the same name. */
export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const uid = owner.metadata?.uid;
  return uid !== undefined && controllerOf(object)?.uid === uid;
}

/** True if the reference refers to an object of this kind, in any version. */
export function refersTo(reference: OwnerReference, resource: Resource): boolean {
  if (reference.kind !== resource.kind) return false;
  const slash = reference.apiVersion.indexOf('/');
  return (slash < 0 ? '' : reference.apiVersion.slice(0, slash)) === resource.group;
}

/**
 * The object with `owner` as its controller: it is deleted with the owner, and its events enqueue the owner. Other
 * references are kept. Fails if another object controls it already.
 */
export function setControllerReference<T extends KubeObject>(object: T, owner: KubeObject, resource: Resource): T {
  const { name, uid, namespace } = owner.metadata ?? {};
  if (!name || !uid)
    throw new TypeError(
      `the owner (kind ${resource.kind}) has no name or no UID; use an object that was read from the API server`,
    );
  const present = controllerOf(object);
  if (present && present.uid !== uid) {
    throw new Error(
      `${describe(object)} is already controlled by ${present.kind} ${present.name} and cannot also be controlled by ${resource.kind} ${name}`,
    );
  }
  if (resource.namespaced && object.metadata?.namespace !== namespace) {
    throw new Error(`${describe(object)} is not in the namespace of its owner ${resource.kind} ${namespace}/${name}`);
  }
  const reference: OwnerReference = {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const others = (object.metadata?.ownerReferences ?? []).filter((other) => other.uid !== uid);
  return { ...object, metadata: { ...object.metadata, ownerReferences: [...others, reference] } };
}

function describe(object: KubeObject): string {
  const { namespace, name } = object.metadata ?? {};
  return `${object.kind ?? 'object'} ${namespace ? `${namespace}/` : ''}${name ?? '(unnamed)'}`;
}
