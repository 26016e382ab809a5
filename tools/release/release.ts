// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What every artefact is made of and where it goes. */
export interface Release {
  /** Of the repository that it is made from. */
  readonly root: string;
  /** An existing folder. */
  readonly out: string;
  readonly version: string;
  /** Where people find the source, without `git+` and `.git`. */
  readonly repository: string;
}

/** A kind of artefact. */
export interface ArtefactKind {
  readonly name: string;
  /** Writes files into `out`; the same source gives the same bytes. */
  make(release: Release): Promise<void>;
}

export async function releaseOf(root: string, out: string): Promise<Release> {
  const { version, repository } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly repository: { readonly url: string };
  };
  return { root, out, version, repository: repository.url.replace(/^git\+|\.git$/g, '') };
}

/** Where a file of this release is downloaded from. */
export function downloadUrl({ repository, version }: Release, file: string): string {
  return `${repository}/releases/download/v${version}/${file}`;
}
