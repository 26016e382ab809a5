// SPDX-License-Identifier: Apache-2.0
import {
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
} from '@operator-parts/kube';
import type { SharedCaches } from '../shared-caches.ts';
import { matchesTerm } from './node-selection.ts';
import type { Filter } from './snapshot.ts';

/** Set by the scheduler on a PVC that waits for its first consumer: the node for which the volume is provisioned. */
export const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node';

/** What a pod's PVCs mean for its placement. */
export interface ClaimsView {
  /** Set if the pod cannot be scheduled yet. */
  readonly problem?: string;
  readonly filters: readonly Filter[];
  /** PVCs whose volume is provisioned only after a node has been chosen. */
  readonly waiting: readonly PersistentVolumeClaim[];
}

/** Evaluates the PVCs of a pod. */
export function viewClaims(caches: SharedCaches, pod: Pod): ClaimsView {
  const views = claimNames(pod).map((name) => viewClaim(caches, pod.metadata?.namespace ?? '', name));
  const problem = views.find((view) => view.problem !== undefined)?.problem;
  return {
    ...(problem === undefined ? {} : { problem }),
    filters: views.flatMap((view) => view.filters),
    waiting: views.flatMap((view) => view.waiting),
  };
}

function viewClaim(caches: SharedCaches, namespace: string, name: string): ClaimsView {
  const claim = caches.of(persistentVolumeClaims).get(namespace, name);
  const problem = (words: string): ClaimsView => ({ problem: words, filters: [], waiting: [] });
  if (!claim) return problem(`persistentvolumeclaim "${name}" not found`);
  if (claim.metadata?.deletionTimestamp) return problem(`persistentvolumeclaim "${name}" is being deleted`);
  const volumeName = claim.spec?.volumeName ?? '';
  if (claim.status?.phase === 'Lost') {
    return problem(`persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${volumeName}"`);
  }
  const volume = caches.of(persistentVolumes).get(undefined, volumeName);
  if (claim.status?.phase === 'Bound' && volume) return { filters: [reaches(volume)], waiting: [] };
  if (!waitsForConsumer(caches, claim)) return problem('pod has unbound immediate PersistentVolumeClaims');
  return { filters: staysWith(claim), waiting: [claim] };
}

/** Once a node has been chosen for a PVC, no other node fits, as long as the chosen node exists. */
function staysWith(claim: PersistentVolumeClaim): readonly Filter[] {
  const chosen = claim.metadata?.annotations?.[selectedNodeAnnotation];
  if (!chosen) return [];
  return [
    (_pod, node, { nodes }) => {
      const exists = nodes.some(({ metadata }) => metadata?.name === chosen);
      return exists && node.metadata?.name !== chosen ? 'node(s) did not have the selected volume' : undefined;
    },
  ];
}

/** Names of the PVCs of a pod, including those of its ephemeral volumes. */
function claimNames(pod: Pod): readonly string[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    if (volume.persistentVolumeClaim) return [volume.persistentVolumeClaim.claimName];
    return volume.ephemeral ? [`${pod.metadata?.name}-${volume.name}`] : [];
  });
}

function waitsForConsumer(caches: SharedCaches, claim: PersistentVolumeClaim): boolean {
  const storageClass = caches.of(storageClasses).get(undefined, claim.spec?.storageClassName ?? '');
  return storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
}

function reaches(volume: PersistentVolume): Filter {
  const required = volume.spec?.nodeAffinity?.required;
  return (_pod, node: Node) => {
    if (!required || required.nodeSelectorTerms.some((term) => matchesTerm(term, node))) return undefined;
    return "node(s) didn't match PersistentVolume's node affinity";
  };
}
