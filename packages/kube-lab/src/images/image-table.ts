// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { Image } from './image.ts';
import { type ImageReference, parseImageReference } from './image-reference.ts';

/** The images that exist in a lab: its only registry. */
export interface ImageTable {
  /** Undefined if the image does not exist: pulling it fails. */
  find(reference: ImageReference): Image | undefined;
  /**
   * Help for an image that does not exist: which images exist, or how to get this one. Added to the message of the
   * failed pull.
   */
  hint?(reference: ImageReference): string | undefined;
}

/** Images of one or more repositories. */
export interface ImageSet {
  /** Repositories that hold these images: `busybox`, `quay.io/coreos/etcd`. */
  readonly repositories: readonly string[];
  /** By tag; `*` matches every tag. */
  readonly tags: Readonly<Record<string, Image>>;
}

/** A table of image sets. If two sets contain the same image, the later one wins. */
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

/** An image from its parts. The digest is computed from the parts, so that it is the same on every machine. */
export function createImage(image: Omit<Image, 'digest'>): Image {
  const digest = createHash('sha256').update(JSON.stringify(image)).digest('hex');
  return { ...image, digest: `sha256:${digest}` };
}
