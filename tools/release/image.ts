// SPDX-License-Identifier: Apache-2.0
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imageBill } from '../image/attest.ts';
import { type BuiltImage, writeMultiArchive } from '../image/oci-archive.ts';
import { operatorImage } from '../image/operator-image.ts';
import { architectures, pinnedRuntime } from '../image/pinned-node.ts';
import type { ArtefactKind } from './release.ts';

/** The operator's image for both architectures in one OCI archive, and what each consists of. */
export const image: ArtefactKind = {
  name: 'image',
  async make({ root, out, version }) {
    const built: BuiltImage[] = [];
    for (const architecture of architectures) {
      const made = await operatorImage(root, () => pinnedRuntime(architecture, root));
      await writeFile(join(out, `etcd-operator-${version}-image-${architecture}.cdx.json`), await imageBill(made));
      built.push({ image: made, architecture });
    }
    await writeMultiArchive(built, join(out, `etcd-operator-${version}-image.oci.tar`));
  },
};
