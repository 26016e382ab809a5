// SPDX-License-Identifier: Apache-2.0
import { ensurePart, type PartOptions } from '../parts/index.ts';
import { type Image, program } from './image.ts';
import { requireProgram } from './require-program.ts';

const pauseName = 'registry.k8s.io/pause:3.10';

/** The pause container, which holds a pod's namespaces: it does nothing. */
export async function pauseImage(options: PartOptions = {}): Promise<Image> {
  const busybox = requireProgram(await ensurePart('busybox', options), 'busybox');
  return {
    names: [pauseName],
    files: [program('/bin/busybox', busybox)],
    command: ['/bin/busybox', 'sleep', '2147483647'],
  };
}
