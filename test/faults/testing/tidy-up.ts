// SPDX-License-Identifier: Apache-2.0

import { etcdBackups, etcdClusters, etcdRestores } from '@etcd-operator/operator';
import { type KubeObject, persistentVolumeClaims, pods, type Resource } from '@operator-parts/kube';
import type { Scene } from './scene.ts';

const kinds: readonly Resource<KubeObject>[] = [
  etcdBackups.resource,
  etcdRestores.resource,
  etcdClusters.resource,
  pods,
  persistentVolumeClaims,
];

/** Takes everything away that a run would go on to use: its operator first, so that nobody makes it again. */
export async function tidyUp(scene: Scene): Promise<void> {
  await scene.killOperator();
  const { namespace } = scene;
  for (const kind of kinds) {
    const resource = scene.client.resource(kind);
    const { items } = await resource.list({ namespace }).catch(() => ({ items: [] }));
    for (const { metadata } of items) {
      const key = { namespace, name: metadata?.name ?? '' };
      await resource.patch(key, { type: 'merge', patch: { metadata: { finalizers: null } } }).catch(() => undefined);
      await resource.delete(key, { gracePeriodSeconds: 0 }).catch(() => undefined);
    }
  }
}
