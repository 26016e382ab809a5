// SPDX-License-Identifier: Apache-2.0
import {
  type ControllerRevision,
  controllerRevisions,
  type KubeObject,
  type PodTemplateSpec,
} from '@operator-parts/kube';
import type { ControllerContext } from '../controller.ts';
import { controllerOf, controllerReference } from './owned-pods.ts';
import { shortHash } from './template-hash.ts';

/** An object whose templates are stored as ControllerRevisions. */
export type Revised = KubeObject & {
  readonly spec?: { readonly template: PodTemplateSpec } | undefined;
  readonly status?: { readonly collisionCount?: number } | undefined;
};

/** The hash of the present template: the last part of its revision's name. */
export function revisionHash(owner: Revised): string {
  return shortHash(owner.spec?.template, String(owner.status?.collisionCount ?? 0));
}

/** The name of the present template's revision. */
export function revisionName(owner: Revised): string {
  return `${owner.metadata?.name}-${revisionHash(owner)}`;
}

/**
 * Stores the present template, for pods that still have it and for rollbacks. The newest revision has the highest
 * number.
 */
export async function keepRevision(
  { caches, client }: ControllerContext,
  owner: Revised,
  kind: 'StatefulSet' | 'DaemonSet',
): Promise<void> {
  const name = revisionName(owner);
  const own = caches
    .of(controllerRevisions)
    .inNamespace(owner.metadata?.namespace ?? '')
    .filter((revision) => controllerOf(revision)?.uid === owner.metadata?.uid);
  const latest = Math.max(0, ...own.map(({ revision }) => revision));
  const present = own.find(({ metadata }) => metadata?.name === name);
  if (!present) await client.resource(controllerRevisions).create(revisionObject(owner, kind, latest + 1));
  else if (present.revision < latest) {
    await client.resource(controllerRevisions).replace({ ...present, revision: latest + 1 });
  }
}

const hashLabels = { StatefulSet: 'controller.kubernetes.io/hash', DaemonSet: 'controller-revision-hash' };

function revisionObject(owner: Revised, kind: 'StatefulSet' | 'DaemonSet', revision: number): ControllerRevision {
  const { template } = owner.spec ?? {};
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: revisionName(owner),
      namespace: owner.metadata?.namespace ?? '',
      labels: { ...template?.metadata?.labels, [hashLabels[kind]]: revisionHash(owner) },
      ownerReferences: [controllerReference(owner, 'apps/v1', kind)],
    },
    data: { spec: { template: { ...template, $patch: 'replace' } } },
    revision,
  };
}
