// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSite } from '../site/build-site.ts';
import type { ArtefactKind } from './release.ts';
import { filesBelow, writeTarball } from './tarball.ts';

/** The documentation as a site, which opens without a server: `index.html`. */
export const documentation: ArtefactKind = {
  name: 'documentation',
  async make({ root, out, version }) {
    const work = await mkdtemp(join(tmpdir(), 'etcd-operator-documentation-'));
    try {
      await buildSite(root, work, version);
      const name = `etcd-operator-${version}-documentation`;
      await writeTarball(await filesBelow(work, name), join(out, `${name}.tar.gz`));
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  },
};
