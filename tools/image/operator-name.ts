// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';

const repository = 'quay.io/etcd-operator/etcd-operator';

/** The one name of the operator's image: the examples, the manifests and the tests use exactly this reference. */
export const operatorImageName = `${repository}:v${operatorVersion(repositoryRoot)}`;

function operatorVersion(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'apps', 'operator', 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return version;
}
