// SPDX-License-Identifier: Apache-2.0
import { objectionsTo, seenRetention } from '../../safety/gate.ts';
import type { ClusterVolume, RestoreObservation } from '../observation.ts';
import type { OldVolumes, PlannedRestoreStep } from './step.ts';

/**
 * Labels the volumes of previous incarnations as kept. A restore replaces the members, but does not delete their volumes (safety rule 15).
 */
export function keepVolumes({ volumes, restore }: RestoreObservation, incarnation: number): PlannedRestoreStep[] {
  return volumes
    .filter((volume) => volume.incarnation < incarnation && volume.keptBy === '' && !volume.terminating)
    .map(({ name, uid }) => ({
      step: { do: 'keepVolume', name, uid },
      reason: `keeping pvc/${name} of incarnation ${incarnation - 1}; it is listed in status.oldVolumes of EtcdRestore ${restore.name}`,
    }));
}

/** The existing volumes that this restore has kept. */
export function keptVolumes(seen: RestoreObservation): OldVolumes {
  const { namespace, retention } = seen.restore;
  const names = keptBy(seen)
    .map(({ name }) => name)
    .sort();
  const command = `kubectl delete persistentvolumeclaim --namespace ${namespace} ${names.join(' ')}`;
  return { names, command, retention };
}

/** Deletes the volumes whose retention is over. */
export function dropVolumes(seen: RestoreObservation, now: number): PlannedRestoreStep[] {
  const { restore, cluster, pods } = seen;
  return keptBy(seen)
    .filter((volume) => {
      const objections = objectionsTo('deleteOldVolume', {
        isReplaced: cluster?.isAvailable ?? false,
        isKeptByThisRestore: volume.keptBy === restore.uid,
        retention: restore.retention,
        keptFor: restore.completedAt > 0 ? now - restore.completedAt : 0,
        seenFor: seen.endedFor,
        usedBy: pods.filter((pod) => pod.name === volume.name).map(({ name }) => name),
      });
      return objections.length === 0;
    })
    .map(({ name, uid }) => ({
      step: { do: 'deleteVolume', name, uid },
      reason: 'spec.oldVolumes.retention has passed',
    }));
}

/** When to check the kept volumes again; undefined if no retention is pending. */
export function retentionEnds(seen: RestoreObservation, now: number): number | undefined {
  const { retention, completedAt } = seen.restore;
  if (retention === undefined || keptBy(seen).length === 0) return undefined;
  // At most an hour, because timers have a maximum. At least 30 s, because a cluster that is not Available is checked again.
  const left = Math.max(completedAt + retention - now, seenRetention(retention) - seen.endedFor);
  return Math.min(3_600_000, Math.max(30_000, left));
}

function keptBy({ volumes, restore }: RestoreObservation): readonly ClusterVolume[] {
  return volumes.filter((volume) => volume.keptBy === restore.uid && !volume.terminating);
}
