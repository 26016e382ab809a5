// SPDX-License-Identifier: Apache-2.0
import { busyboxImage, type EtcdPart, etcdImage, etcdParts, type Image, operatorImage } from '../image/index.ts';
import type { Cluster } from './cluster.ts';
import { ClusterError } from './cluster-error.ts';

/** Images that can be asked for by name, with what they are made by. */
const makers: Readonly<Record<string, () => Promise<Image>>> = {
  operator: () => operatorImage(),
  busybox: () => busyboxImage(),
  ...Object.fromEntries(etcdParts.map((part: EtcdPart) => [part, () => etcdImage(part)])),
};

export const loadableImages: readonly string[] = Object.keys(makers);

/** Makes images of this repository and hands them to a cluster; resolves with their references. */
export async function loadImages(cluster: Cluster, names: readonly string[]): Promise<readonly string[]> {
  const references: string[] = [];
  for (const name of names) {
    const make = makers[name];
    if (!make) {
      throw new ClusterError('CommandFailed', `there is no image "${name}"; known are ${loadableImages.join(', ')}`);
    }
    const image = await make();
    await cluster.importImage(image);
    references.push(...image.names);
  }
  return references;
}
