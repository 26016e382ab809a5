// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import type { Backend } from '../backend.ts';
import { reach } from '../backend-lab.ts';
import { targetOf } from '../kubeconfig.ts';

/**
 * A real, running Kubernetes with a kubelet, in whose network this process is. It has one node and the image of
 * busybox.
 * @param kubeconfig path of an administrator's
 */
export async function reachKubelet(kubeconfig: string): Promise<Backend> {
  return {
    name: 'kubelet',
    patience: 90_000,
    ...reach(targetOf(await readFile(kubeconfig, 'utf8'))),
    compact: () => Promise.reject(new Error('no case about Pods needs this')),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
