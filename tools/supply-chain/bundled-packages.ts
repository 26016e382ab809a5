// SPDX-License-Identifier: Apache-2.0

/** A third-party package that is shipped. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** As its author states it, an SPDX expression. */
  readonly licence: string;
  /** npm's hash of the download, `sha512-...`. */
  readonly integrity: string;
}

/** The used part of package-lock.json. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

interface LockEntry {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
}

/**
 * The packages of a bundle's files, sorted by name. Fails for one that the lock file does not pin: its content would be
 * unknown.
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

/** The folder of the innermost third-party package of a file; undefined for a file of this repository. */
function packageFolder(file: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

function nameOf(folder: string): string {
  return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
