// SPDX-License-Identifier: Apache-2.0
import {
  keyOf,
  keyString,
  type PersistentVolumeClaim,
  type Pod,
  parseKey,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  storageClasses,
} from '@etcd-operator/kube';
import type { StartController } from '../controller.ts';
import { ReconcileLoop } from '../reconcile-loop.ts';
import { claimNames } from '../scheduler/claims.ts';
import { reconcileClaim } from './claim-reconciler.ts';
import type { Disks } from './disks.ts';
import { reconcileVolume } from './volume-reconciler.ts';

/** Binds claims to volumes, makes volumes for the lab's own storage classes, lets them grow, and reclaims them. */
export function storageController(disks: Disks): StartController {
  return (context) => {
    const { caches, clock, log } = context;
    const claims = caches.of(persistentVolumeClaims);
    const volumes = caches.of(persistentVolumes);
    const claimLoop = new ReconcileLoop({
      name: 'persistentvolume-binder/claims',
      clock,
      log,
      reconcile: async (key) => {
        const { namespace, name } = parseKey(key);
        const claim = claims.get(namespace, name);
        return claim && reconcileClaim(context, disks, claim);
      },
    });
    const volumeLoop = new ReconcileLoop({
      name: 'persistentvolume-binder/volumes',
      clock,
      log,
      reconcile: async (name) => {
        const volume = volumes.get(undefined, name);
        return volume && reconcileVolume(context, disks, volume);
      },
    });
    const isOpen = (claim: PersistentVolumeClaim) =>
      claim.status?.phase !== 'Bound' || claim.metadata?.deletionTimestamp !== undefined;
    const retryOpen = () => {
      for (const claim of claims.list()) if (isOpen(claim)) claimLoop.enqueue(keyString(keyOf(claim)));
    };
    const usersEnded = (pod: Pod) => {
      for (const name of claimNames(pod))
        claimLoop.enqueue(keyString({ namespace: pod.metadata?.namespace ?? '', name }));
    };
    const leave = [
      claims.subscribe(({ object }) => {
        claimLoop.enqueue(keyString(keyOf(object)));
        if (object.spec?.volumeName) volumeLoop.enqueue(object.spec.volumeName);
      }),
      volumes.subscribe(({ object }) => {
        volumeLoop.enqueue(keyOf(object).name);
        const { claimRef } = object.spec ?? {};
        if (claimRef?.name) claimLoop.enqueue(keyString({ namespace: claimRef.namespace ?? '', name: claimRef.name }));
        else retryOpen();
      }),
      caches.of(storageClasses).subscribe(retryOpen),
      caches.of(pods).subscribe(({ type, object }) => {
        const ended = object.status?.phase === 'Succeeded' || object.status?.phase === 'Failed';
        if (type === 'DELETED' || ended) usersEnded(object);
      }),
    ];
    return {
      close: () => {
        for (const each of leave) each();
        claimLoop.close();
        volumeLoop.close();
      },
    };
  };
}
