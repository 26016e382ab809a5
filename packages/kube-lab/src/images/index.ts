// SPDX-License-Identifier: Apache-2.0
/** Images of the lab: tables that map references to file trees of the host's own files. Nothing is downloaded here. */
export { busyboxImages, type ProgramFiles } from './busybox-image.ts';
export { type EtcdFiles, etcdImages } from './etcd-images.ts';
export { hostImage, nodeImage, nodeProgramsImage } from './host-image.ts';
export type { Image, ImageEntry, ImageFiles } from './image.ts';
export type { ImageReference } from './image-reference.ts';
export { createImage, createImageTable, type ImageSet, type ImageTable } from './image-table.ts';
