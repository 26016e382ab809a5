// SPDX-License-Identifier: Apache-2.0
import { ensurePart, type PartOptions } from '../parts/index.ts';
import { type Image, program } from './image.ts';
import { requireProgram } from './require-program.ts';

/** The cluster's DNS server as an image. */
export async function corednsImage(options: PartOptions = {}): Promise<Image> {
  const part = await ensurePart('coredns', options);
  return {
    names: [`registry.k8s.io/coredns/coredns:v${part.version}`],
    files: [program('/coredns', requireProgram(part, 'coredns'))],
    command: ['/coredns'],
  };
}
