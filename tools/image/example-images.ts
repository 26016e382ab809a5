// SPDX-License-Identifier: Apache-2.0
import { type NodeProgram, nodeProgramImage } from './node-program-image.ts';

/** The example with a Deployment, with its name in the manifests. */
export const sidecarInjector: NodeProgram = {
  names: ['docker.io/library/sidecar-injector:0.1.0'],
  entry: 'example/sidecar-injector/src/main.ts',
  program: 'sidecar-injector',
};

export function sidecarInjectorImage() {
  return nodeProgramImage(sidecarInjector);
}
