// SPDX-License-Identifier: Apache-2.0
import { dirname, relative } from 'node:path';
import { repositoryRoot } from '../repository-root.ts';

/** Selects the files of the workspace in which npm runs a script (`npm test -w packages/kube`); all at the root. */
export function workspaceFilter(environment: NodeJS.ProcessEnv, root = repositoryRoot): (file: string) => boolean {
  const manifest = environment['npm_package_json'];
  const workspace = manifest === undefined ? '' : relative(root, dirname(manifest));
  if (workspace === '' || workspace.startsWith('..')) return () => true;
  return (file) => file.startsWith(`${workspace}/`);
}
