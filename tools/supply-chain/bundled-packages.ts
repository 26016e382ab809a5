// SPDX-License-Identifier: Apache-2.0

/** A package of others that is part of what is shipped. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** As its author states it, an SPDX expression. */
  readonly licence: string;
  /** What npm compares the download with, `sha512-...`. */
  readonly integrity: string;
}

/** The part of package-lock.json that is read. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

interface LockEntry {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
}

/**
 * The packages that files of a bundle come from, sorted by name. Fails for one that the lock file does not pin: what is shipped without
 * being pinned could be anything.
 *
 * @param files paths from the root of the repository
 */
export function bundledPackages(files: readonly string[], lock: LockFile): readonly BundledPackage[] {
  const folders = new Set(files.flatMap((file) => packageFolder(file) ?? []));
  return [...folders].toSorted().map((folder) => {
    const { version, license, integrity } = lock.packages[folder] ?? {};
    if (!version || !license || !integrity) {
      throw new Error(`package-lock.json does not say version, licence and integrity of ${folder}, which is shipped`);
    }
    return { name: nameOf(folder), version, licence: license, integrity };
  });
}

/** The folder of the innermost package of others that a file is in; undefined for a file of this repository. */
function packageFolder(file: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
