// SPDX-License-Identifier: Apache-2.0
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from '../cluster.ts';
import { inside } from '../configuration.ts';
import { addresses } from '../layout.ts';

const storageClass = 'folders';
const count = 20;

/** Gives the cluster a default StorageClass and volumes of it: folders of the node, each taken by one claim and by none after it. */
export async function makeReadyVolumes(cluster: Cluster): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `folder-${index + 1}`);
  for (const name of names) await mkdir(join(cluster.layout.varLib, 'volumes', name));
  await cluster.apply([readyClass, ...names.map((name) => volume(name))]);
}

const readyClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: storageClass, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'kubernetes.io/no-provisioner',
  volumeBindingMode: 'WaitForFirstConsumer',
};

/** Of the kind `local`, so that `fsGroup` counts. */
function volume(name: string): object {
  const here = { key: 'kubernetes.io/hostname', operator: 'In', values: [addresses.nodeName] };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: storageClass,
      local: { path: `${inside.volumes}/${name}` },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [here] }] } },
    },
  };
}
