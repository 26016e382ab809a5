// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { ensurePart } from '@etcd-operator/tools';
import { busyboxImages, createImageTable, startLab } from '@operator-parts/kube-lab';
import type { Backend } from '../backend.ts';
import { reach } from '../backend-lab.ts';
import { targetOf } from '../kubeconfig.ts';

/** kube-lab with a node. Its kubelet's own delays are shortened; those of a Pod's spec are not. */
export async function startLabNodes(): Promise<Backend> {
  const images = createImageTable([busyboxImages(await ensurePart('busybox'))]);
  const lab = await startLab({ nodes: 1, images, timeFactor: 10 });
  return {
    name: 'lab',
    patience: 60_000,
    ...reach(targetOf(await readFile(lab.kubeconfigPath, 'utf8'))),
    compact: async () => lab.server.faults.compact(),
    [Symbol.asyncDispose]: () => lab.stop(),
  };
}
