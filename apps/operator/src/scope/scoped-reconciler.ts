// SPDX-License-Identifier: Apache-2.0
import { type Reconciler, type Result, requeueAfter } from '@operator-parts/controller-runtime';
import { type KubeObject, keyString, type ObjectKey } from '@operator-parts/kube';
import type { Responsibility } from './responsibility.ts';

/**
 * Decides who manages an object before each reconciliation. The reconciler calls `responsibility.isOurs` and treats an object of another
 * operator as deleted.
 */
export function scopedReconciler<T extends KubeObject>(
  reconciler: Reconciler,
  responsibility: Responsibility<T>,
  find: (request: ObjectKey) => T | undefined,
): Reconciler {
  return {
    async reconcile(request, context): Promise<Result> {
      const object = find(request);
      if (!object) {
        responsibility.forget(keyString(request));
        return reconciler.reconcile(request, context);
      }
      const recheck = await responsibility.settle(object, context, () => reconciler.reconcile(request, context));
      const result = await reconciler.reconcile(request, context);
      return recheck === undefined ? result : requeueAfter(recheck);
    },
  };
}
