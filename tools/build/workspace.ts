// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the build reads of a package.json. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  /** Program -> the TypeScript file it starts with; each becomes one bundled file. */
  readonly programs?: Readonly<Record<string, string>>;
}

/** A folder below `packages/` or `apps/`. */
export interface Workspace {
  /** The name of the folder. */
  readonly name: string;
  readonly directory: string;
  readonly manifest: Manifest;
}

/** The workspaces of one home, by name. */
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
