// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The fields of a package.json that the build reads. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly keywords?: readonly string[];
  readonly engines?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  /** Program -> its main TypeScript file; each becomes one bundled file. */
  readonly programs?: Readonly<Record<string, string>>;
  /** The command-line programs among them. */
  readonly commands?: readonly string[];
}

/** The location of the source; the package.json of the repository contains it for all. */
export interface Repository {
  readonly type: string;
  readonly url: string;
}

/** A folder below `packages/` or `apps/`. */
export interface Workspace {
  /** The name of the folder. */
  readonly name: string;
  readonly directory: string;
  readonly manifest: Manifest;
}

/** The workspaces in `packages/` or `apps/`, by name. */
export function workspacesOf(root: string, home: 'packages' | 'apps'): readonly Workspace[] {
  const directory = join(root, home);
  return readdirSync(directory)
    .sort()
    .map((name) => ({ name, directory: join(directory, name) }))
    .filter((workspace) => existsSync(join(workspace.directory, 'package.json')))
    .map((workspace) => ({
      ...workspace,
      manifest: JSON.parse(readFileSync(join(workspace.directory, 'package.json'), 'utf8')) as Manifest,
    }));
}

export function repositoryOf(root: string): Repository {
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { repository?: Repository };
  if (!repository) throw new Error('package.json: set "repository", which every published package names');
  return repository;
}
