// SPDX-License-Identifier: Apache-2.0
import {
  createImageTable,
  type Image,
  type ImageReference,
  type ImageSet,
  type ImageTable,
} from '@etcd-operator/kube-lab';

/** Says of an image that is not there which ones are, or how to get it; undefined if there is nothing to say. */
export type Hint = (reference: ImageReference) => string | undefined;

/** The images of a running lab, to which more can be added. */
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
