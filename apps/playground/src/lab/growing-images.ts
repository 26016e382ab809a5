// SPDX-License-Identifier: Apache-2.0
import {
  createImageTable,
  type Image,
  type ImageReference,
  type ImageSet,
  type ImageTable,
} from '@etcd-operator/kube-lab';

/** The images of a running lab, to which more can be added. */
export class GrowingImages implements ImageTable {
  #sets: readonly ImageSet[];
  #table: ImageTable;

  constructor(sets: readonly ImageSet[]) {
    this.#sets = sets;
    this.#table = createImageTable(sets);
  }

  add(set: ImageSet): void {
    this.#sets = [...this.#sets, set];
    this.#table = createImageTable(this.#sets);
  }

  find(reference: ImageReference): Image | undefined {
    return this.#table.find(reference);
  }
}
