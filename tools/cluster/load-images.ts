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

/** Images by name, with their builders. */
const makers: Readonly<Record<string, () => Promise<Image>>> = {
  operator: () => operatorImage(),
  busybox: () => busyboxImage(),
  'sidecar-injector': () => sidecarInjectorImage(),
  ...Object.fromEntries(etcdParts.map((part: EtcdPart) => [part, () => etcdImage(part)])),
};

export const loadableImages: readonly string[] = Object.keys(makers);

/** Builds images of this repository, so that loading them later is faster. */
export async function writeImages(names: readonly string[]): Promise<void> {
  for (const name of names) await cachedArchive(await make(name));
}

/** Builds images of this repository and imports them into a cluster; resolves with their references. */
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
