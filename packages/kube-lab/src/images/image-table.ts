// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { Image } from './image.ts';
import { type ImageReference, parseImageReference } from './image-reference.ts';

/** The images a lab knows: the lab's only registry. */
export interface ImageTable {
  /** Undefined if there is no such image: pulling it fails. */
  find(reference: ImageReference): Image | undefined;
  /** Of an image that is not found: which ones are, or how to get it. Added to the message of the failed pull. */
  hint?(reference: ImageReference): string | undefined;
}

/** Images of one or more repositories. */
export interface ImageSet {
  /** Repositories that hold these images: `busybox`, `quay.io/coreos/etcd`. */
  readonly repositories: readonly string[];
  /** By tag; `*` stands for every tag. */
  readonly tags: Readonly<Record<string, Image>>;
}

/** A table of image sets. Where two sets name the same image, the later one wins. */
export function createImageTable(sets: readonly ImageSet[]): ImageTable {
  const byRepository = new Map<string, Map<string, Image>>();
  for (const { repositories, tags } of sets) {
    for (const repository of repositories.map(fullName)) {
      const known = byRepository.get(repository) ?? new Map<string, Image>();
      for (const [tag, image] of Object.entries(tags)) known.set(tag, image);
      byRepository.set(repository, known);
    }
  }
  return {
    find: ({ repository, tag, digest }) => {
      const known = byRepository.get(repository);
      if (digest) return [...(known?.values() ?? [])].find((image) => image.digest === digest);
      return known?.get(tag) ?? known?.get('*');
    },
  };
}

function fullName(repository: string): string {
  return parseImageReference(repository)?.repository ?? repository;
}

/** An image from its parts, its digest computed from them: the same parts give the same digest on every machine. */
export function createImage(image: Omit<Image, 'digest'>): Image {
  const digest = createHash('sha256').update(JSON.stringify(image)).digest('hex');
  return { ...image, digest: `sha256:${digest}` };
}
