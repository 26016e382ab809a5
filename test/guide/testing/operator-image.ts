// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createImage, hostImage, type ImageEntry, type ImageSet } from '@etcd-operator/kube-lab';
import { operatorImageName } from '@etcd-operator/tools/image';

const repository = join(import.meta.dirname, '../../..');

/** Apps whose programs are in the operator's image. */
const apps = ['apps/operator', 'apps/kubectl-etcd'];

/**
 * The operator's image for the lab: the programs under the names they have in the real one, run from this repository.
 * `folder` is where their launchers are put; it must outlive the lab.
 */
export function operatorImages(folder: string): ImageSet {
  const node = dirname(process.execPath);
  const { files, entrypoint, cmd, env } = hostImage({
    directories: [node],
    entrypoint: [],
    env: { PATH: `/programs:${node}:/usr/bin:/bin` },
  });
  const own: readonly ImageEntry[] = [
    { kind: 'bind', path: '/app', source: repository },
    { kind: 'bind', path: '/programs', source: writeLaunchers(folder, '/app') },
  ];
  const image = createImage({ files: { entries: [...files.entries, ...own] }, entrypoint, cmd, env });
  const [name = '', tag = ''] = operatorImageName.split(/:(?=[^:/]*$)/);
  return { repositories: [name], tags: { [tag]: image } };
}

/** Makes `folder` a folder of our programs, run from the repository as it is seen at `app`. */
export function writeLaunchers(folder: string, app: string = repository): string {
  mkdirSync(folder, { recursive: true });
  for (const home of apps) {
    const { programs } = JSON.parse(readFileSync(join(repository, home, 'package.json'), 'utf8')) as {
      readonly programs?: Readonly<Record<string, string>>;
    };
    for (const [name, file] of Object.entries(programs ?? {})) {
      const text = `#!/bin/sh\nexec '${process.execPath}' ${join(app, home, file)} "$@"\n`;
      writeFileSync(join(folder, name), text, { mode: 0o755 });
    }
  }
  return folder;
}
