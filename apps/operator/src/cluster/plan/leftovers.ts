// SPDX-License-Identifier: Apache-2.0
import type { Assessment } from './assessment.ts';
import type { PlannedStep } from './step.ts';

/**
 * Pods and volumes of members that etcd no longer lists. Kubernetes was read before etcd, and a member is added before its
 * volume and pod are made, so these can only belong to removed members.
 */
export function leftovers({ pods, volumes, members, membershipKnown, observation }: Assessment): PlannedStep[] {
  if (!membershipKnown) return [];
  const listed = new Set(members.map((view) => view.name));
  const steps: PlannedStep[] = [];
  for (const pod of pods.values()) {
    if (listed.has(pod.name) || pod.terminating) continue;
    steps.push({
      step: { do: 'deletePod', name: pod.name, uid: pod.uid, force: false },
      reason: `${pod.name} is no longer a member of the cluster`,
    });
  }
  for (const volume of volumes.values()) {
    if (listed.has(volume.name) || volume.terminating || pods.has(volume.name)) continue;
    steps.push({
      step: { do: 'deleteVolume', name: volume.name, uid: volume.uid },
      reason: `the volume of ${volume.name} has no member any more`,
    });
  }
  for (const check of observation.imageChecks) {
    if (check.result === 'pending' || isStillOfUse(check, observation)) continue;
    steps.push({
      step: { do: 'deleteImageCheck', name: check.name, uid: check.uid },
      reason: `the image check on node ${check.node} has served its purpose`,
    });
  }
  return steps;
}

function isStillOfUse(check: { readonly image: string }, { cluster, pods }: Assessment['observation']): boolean {
  const wanted = 'problems' in cluster.desired ? '' : cluster.desired.image;
  return check.image === wanted && pods.some((pod) => pod.image !== wanted);
}
