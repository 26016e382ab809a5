// SPDX-License-Identifier: Apache-2.0
import {
  busyboxImage,
  cachedArchive,
  type EtcdPart,
  etcdImage,
  etcdParts,
  type Image,
  operatorImage,
  sidecarInjectorImage,
} from '../image/index.ts';
import type { Cluster } from './cluster.ts';
import { ClusterError } from './cluster-error.ts';

/** Images that can be asked for by name, with what they are made by. */
const makers: Readonly<Record<string, () => Promise<Image>>> = {
  operator: () => operatorImage(),
  busybox: () => busyboxImage(),
  'sidecar-injector': () => sidecarInjectorImage(),
  ...Object.fromEntries(etcdParts.map((part: EtcdPart) => [part, () => etcdImage(part)])),
};

export const loadableImages: readonly string[] = Object.keys(makers);

/** Makes images of this repository, so that loading them later takes less time. */
export async function writeImages(names: readonly string[]): Promise<void> {
  for (const name of names) await cachedArchive(await make(name));
}

/** Makes images of this repository and hands them to a cluster; resolves with their references. */
export async function loadImages(cluster: Cluster, names: readonly string[]): Promise<readonly string[]> {
  const references: string[] = [];
  for (const name of names) {
    const image = await make(name);
    await cluster.importImage(image);
    references.push(...image.names);
  }
  return references;
}

function make(name: string): Promise<Image> {
  const maker = makers[name];
  if (!maker) {
    throw new ClusterError('CommandFailed', `there is no image "${name}"; known are ${loadableImages.join(', ')}`);
  }
  return maker();
}
