// SPDX-License-Identifier: Apache-2.0
import {
  keyOf,
  keyString,
  type PersistentVolumeClaim,
  parseKey,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
} from '@operator-parts/kube';
import type { StartController } from '../controller.ts';
import { ReconcileLoop } from '../reconcile-loop.ts';
import { reconcileClaim } from './claim-reconciler.ts';
import type { Disks } from './disks.ts';
import { reclaim, reconcileVolume } from './volume-reconciler.ts';

/** Binds PVCs to volumes, provisions volumes for the lab's own storage classes, resizes them, and reclaims them. */
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
        return volume && reconcileVolume(context, volume);
      },
    });
    const isOpen = (claim: PersistentVolumeClaim) => claim.status?.phase !== 'Bound';
    const retryOpen = () => {
      for (const claim of claims.list()) if (isOpen(claim)) claimLoop.enqueue(keyString(keyOf(claim)));
    };
    const leave = [
      claims.subscribe(({ object }) => {
        claimLoop.enqueue(keyString(keyOf(object)));
        if (object.spec?.volumeName) volumeLoop.enqueue(object.spec.volumeName);
      }),
      volumes.subscribe(({ type, object }) => {
        volumeLoop.enqueue(keyOf(object).name);
        if (type === 'DELETED') void reclaim(disks, object);
        const { claimRef } = object.spec ?? {};
        if (claimRef?.name) claimLoop.enqueue(keyString({ namespace: claimRef.namespace ?? '', name: claimRef.name }));
        else retryOpen();
      }),
      caches.of(storageClasses).subscribe(retryOpen),
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
