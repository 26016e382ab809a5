// SPDX-License-Identifier: Apache-2.0

/** How one part is made. The rows of the table are values of this type; a change of any field makes a new cache entry. */
export type Recipe = GoRecipe | DebianRecipe | NpmRecipe | CollectionRecipe;

interface RecipeBase {
  /** Exact version, without a leading 'v'. */
  readonly version: string;
  /** Free bytes the build needs below the cache directory, its scratch space included. */
  readonly bytesNeeded: number;
}

/** Go modules from the Go module proxy, compiled here. */
export interface GoRecipe extends RecipeBase {
  readonly kind: 'go';
  /** The oldest Go that the modules allow, such as '1.26'. */
  readonly go: string;
  readonly modules: readonly GoModule[];
  readonly programs: readonly GoProgram[];
  /** May programs on PATH of the same minor and at least this patch stand in? Then each prints its version. */
  readonly mayComeFromPath?: boolean;
  readonly tags?: readonly string[];
  /** Linker settings of string variables: full variable name -> value. */
  readonly variables?: Readonly<Record<string, string>>;
  /**
   * Set for k8s.io/kubernetes, whose staging modules have to be pinned one by one: their version, such as 'v0.36.3', and
   * the commands that are resolved together, so that programs built one by one come from the same set of modules.
   */
  readonly staging?: { readonly version: string; readonly commands: readonly string[] };
}

/** A module and the hash that its go.sum line must carry. */
export interface GoModule {
  readonly path: string;
  readonly version: string;
  readonly sum: string;
}

/** A program: an existing main package, or a main of our own that only blank-imports packages. */
export interface GoProgram {
  readonly name: string;
  readonly source: { readonly package: string } | { readonly main: string; readonly imports: readonly string[] };
  readonly verify: Verification;
}

/** Debian packages, downloaded and unpacked, never installed. */
export interface DebianRecipe extends RecipeBase {
  readonly kind: 'debian';
  /** Debian architecture -> packages. */
  readonly packages: Readonly<Record<string, readonly DebianPackage[]>>;
  readonly programs: readonly DebianProgram[];
  /** Debian architecture -> paths (as in an image) of the loader, first, and the libraries, taken from the packages. */
  readonly libraries?: Readonly<Record<string, readonly string[]>>;
}

/** A package file below a mirror's root. */
export interface DebianPackage {
  readonly path: string;
  readonly sha256: string;
}

/** A program inside the unpacked packages. */
export interface DebianProgram {
  readonly name: string;
  readonly path: string;
  readonly verify: Verification;
}

/** A package from the npm registry, installed with all it needs into the part's own folder, without its install scripts. */
export interface NpmRecipe extends RecipeBase {
  readonly kind: 'npm';
  readonly package: string;
  /**
   * The lockfile beside this file that names every package with its checksum, and its own. It is made by `npm install
   * --package-lock-only` in a folder whose package.json asks for this one package.
   */
  readonly lockfile: { readonly path: string; readonly sha256: string };
  /** Programs that the package declares; they run on the Node that is on PATH. */
  readonly programs: readonly NpmProgram[];
}

/** A program that an npm package declares in its `bin`. */
export interface NpmProgram {
  readonly name: string;
  readonly verify: Verification;
}

/** Other parts under one name; it shares their files. */
export interface CollectionRecipe extends RecipeBase {
  readonly kind: 'collection';
  readonly parts: readonly string[];
}

/** What running a program must print (on either stream) for it to count as good. */
export interface Verification {
  readonly args: readonly string[];
  readonly prints: string;
  /** Variables that it needs to run at all. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Part name -> how to make it. */
export type PartTable = Readonly<Record<string, Recipe>>;
