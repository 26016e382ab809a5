// SPDX-License-Identifier: Apache-2.0
/**
 * Images without a container engine or a registry: their content (etcd of every version, busybox, the operator, ...)
 * and a writer of OCI archives that containerd imports. The same input gives the same bytes. main.ts is `npm run
 * image`.
 */
export { operatorImageName } from '@etcd-operator/operator';
export { buildPrograms } from '../build/build-programs.ts';
export { busyboxImage, defaultBusyboxName } from './busybox-image.ts';
export { cachedArchive } from './cached-archive.ts';
export { corednsImage } from './coredns-image.ts';
export { type EtcdImageOptions, type EtcdPart, etcdImage, etcdParts } from './etcd-image.ts';
export { sidecarInjectorImage } from './example-images.ts';
export type { Image, ImageFile } from './image.ts';
export { nodeProgramImage } from './node-program-image.ts';
export { type ArchiveOptions, type WrittenImage, writeOciArchive } from './oci-archive.ts';
export { operatorImage } from './operator-image.ts';
export { pauseImage } from './pause-image.ts';
