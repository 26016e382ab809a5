// SPDX-License-Identifier: Apache-2.0
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArtefactKind } from './release.ts';
import { filesBelow, writeTarball } from './tarball.ts';

/** The one file, and the folders for kustomize with what is applied beside them. */
export const manifests: ArtefactKind = {
  name: 'manifests',
  async make({ root, out, version }) {
    const deploy = join(root, 'deploy');
    for (const file of ['install.yaml', 'admission-policy.yaml']) await copyFile(join(deploy, file), join(out, file));
    const name = `etcd-operator-${version}-kustomize`;
    const folders = ['crds', 'base', 'cluster-wide', 'network-policies', 'monitoring', 'argo-cd'];
    const files = await Promise.all(folders.map((folder) => filesBelow(join(deploy, folder), `${name}/${folder}`)));
    await writeTarball(files.flat(), join(out, `${name}.tar.gz`));
  },
};
