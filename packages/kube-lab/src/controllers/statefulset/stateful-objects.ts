// SPDX-License-Identifier: Apache-2.0
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, StatefulSet, Volume } from '@operator-parts/kube';
import { controllerReference, podFromTemplate } from '../workloads/owned-pods.ts';
import { isPodActive, isPodAvailable, isPodReady } from '../workloads/pod-condition.ts';
import { revisionLabel } from './stateful-plan.ts';

/** A pod of a StatefulSet: with a permanent name, a DNS name, and its own PVCs. */
export function statefulPod(set: StatefulSet, template: PodTemplateSpec, ordinal: number, revision: string): Pod {
  const { name = '', namespace = '' } = set.metadata ?? {};
  const podName = `${name}-${ordinal}`;
  const labels = {
    'apps.kubernetes.io/pod-index': String(ordinal),
    'statefulset.kubernetes.io/pod-name': podName,
    [revisionLabel]: revision,
  };
  const reference = controllerReference(set, 'apps/v1', 'StatefulSet');
  const pod = podFromTemplate(template, reference, { name: podName, namespace, labels });
  if (!pod.spec) return pod;
  const claims = claimTemplates(set).map(
    (claim): Volume => ({
      name: claim.metadata?.name ?? '',
      persistentVolumeClaim: { claimName: `${claim.metadata?.name}-${podName}` },
    }),
  );
  const others = (pod.spec.volumes ?? []).filter((volume) => !claims.some((claim) => claim.name === volume.name));
  const volumes = [...claims, ...others];
  return {
    ...pod,
    spec: {
      ...pod.spec,
      hostname: podName,
      ...(set.spec?.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...(volumes.length > 0 ? { volumes } : {}),
    },
  };
}

/** The PVCs of one pod. */
export function statefulClaims(set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
  const { name = '', namespace = '' } = set.metadata ?? {};
  const whenDeleted = set.spec?.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete';
  return claimTemplates(set).map((claim) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `${claim.metadata?.name}-${name}-${ordinal}`,
      namespace,
      labels: { ...claim.metadata?.labels, ...set.spec?.selector.matchLabels },
      ...(claim.metadata?.annotations ? { annotations: claim.metadata.annotations } : {}),
      ...(whenDeleted ? { ownerReferences: [controllerReference(set, 'apps/v1', 'StatefulSet')] } : {}),
    },
    ...(claim.spec ? { spec: claim.spec } : {}),
  }));
}

function claimTemplates(set: StatefulSet): readonly PersistentVolumeClaim[] {
  return set.spec?.volumeClaimTemplates ?? [];
}

/**
 * The status of a StatefulSet from its pods. The update is complete when every pod has the update revision and is
 * ready.
 */
export function statefulStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  revisions: { readonly current: string; readonly update: string },
  now: number,
): NonNullable<StatefulSet['status']> {
  const active = pods.filter(isPodActive);
  const of = (revision: string) => active.filter((pod) => pod.metadata?.labels?.[revisionLabel] === revision).length;
  const available = active.filter((pod) => isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now)).length;
  const replicas = set.spec?.replicas ?? 1;
  const isOver = of(revisions.update) === replicas && active.length === replicas && active.every(isPodReady);
  const current = isOver ? revisions.update : revisions.current;
  const currentReplicas = of(current);
  const updatedReplicas = of(revisions.update);
  return {
    observedGeneration: set.metadata?.generation ?? 0,
    replicas: active.length,
    ...(active.some(isPodReady) ? { readyReplicas: active.filter(isPodReady).length } : {}),
    availableReplicas: available,
    ...(currentReplicas ? { currentReplicas } : {}),
    ...(updatedReplicas ? { updatedReplicas } : {}),
    currentRevision: current,
    updateRevision: revisions.update,
    collisionCount: set.status?.collisionCount ?? 0,
  };
}
