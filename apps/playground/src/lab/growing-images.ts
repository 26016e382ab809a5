// SPDX-License-Identifier: Apache-2.0
import {
  createImageTable,
  type Image,
  type ImageReference,
  type ImageSet,
  type ImageTable,
} from '@operator-parts/kube-lab';

/** Says which images exist, or how to get the missing one; undefined if there is nothing to say. */
export type Hint = (reference: ImageReference) => string | undefined;

/** The images of a running lab, which can be extended. */
export class GrowingImages implements ImageTable {
  readonly #hint: Hint;
  #sets: readonly ImageSet[];
  #table: ImageTable;

  constructor(sets: readonly ImageSet[], hint: Hint = () => undefined) {
    this.#sets = sets;
    this.#table = createImageTable(sets);
    this.#hint = hint;
  }

  add(set: ImageSet): void {
    this.#sets = [...this.#sets, set];
    this.#table = createImageTable(this.#sets);
  }

  find(reference: ImageReference): Image | undefined {
    return this.#table.find(reference);
  }

  hint(reference: ImageReference): string | undefined {
    return this.#hint(reference);
  }
}
