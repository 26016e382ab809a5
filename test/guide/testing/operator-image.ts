// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorImageName } from '@etcd-operator/operator';
import { type ImageSet, nodeProgramsImage } from '@operator-parts/kube-lab';

const repository = join(import.meta.dirname, '../../..');

/** The programs in the operator's image, by name. */
function programs(): Readonly<Record<string, string>> {
  const all = ['apps/operator', 'apps/kubectl-etcd'].flatMap((app) => {
    const manifest = JSON.parse(readFileSync(join(repository, app, 'package.json'), 'utf8')) as {
      readonly programs?: Readonly<Record<string, string>>;
    };
    return Object.entries(manifest.programs ?? {}).map(([name, file]) => [name, join(repository, app, file)] as const);
  });
  return Object.fromEntries(all);
}

/** The operator's image for the lab: the programs with the names in the real one, run from this repository. */
export function operatorImages(): ImageSet {
  const [name = '', tag = ''] = operatorImageName.split(/:(?=[^:/]*$)/);
  const directories = ['apps', 'packages', 'node_modules'].map((folder) => join(repository, folder));
  const image = nodeProgramsImage({ programs: programs(), directories });
  return { repositories: [name], tags: { [tag]: image } };
}
