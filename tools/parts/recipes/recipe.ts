// SPDX-License-Identifier: Apache-2.0

/** How one part is built. The rows of the table have this type; a change of any field creates a new cache entry. */
export type Recipe = GoRecipe | DebianRecipe | NpmRecipe | CollectionRecipe;

interface RecipeBase {
  /** Exact version, without a leading 'v'. */
  readonly version: string;
  /** Required free bytes below the cache directory, including temporary space. */
  readonly bytesNeeded: number;
}

/** Go modules from the Go module proxy, compiled here. */
export interface GoRecipe extends RecipeBase {
  readonly kind: 'go';
  /** The oldest Go that the modules allow, such as '1.26'. */
  readonly go: string;
  readonly modules: readonly GoModule[];
  readonly programs: readonly GoProgram[];
  /**
   * True if programs on PATH with the same minor and at least this patch may be used instead. Then each must print its
   * version.
   */
  readonly mayComeFromPath?: boolean;
  readonly tags?: readonly string[];
  /** Linker settings of string variables: full variable name -> value. */
  readonly variables?: Readonly<Record<string, string>>;
  /**
   * Set for k8s.io/kubernetes, whose staging modules must be pinned one by one: their version, such as 'v0.36.3', and
   * the commands that are resolved together, so that programs built separately use the same modules.
   */
  readonly staging?: { readonly version: string; readonly commands: readonly string[] };
}

/** A module and the hash that its go.sum line must carry. */
export interface GoModule {
  readonly path: string;
  readonly version: string;
  readonly sum: string;
}

/** A program: an existing main package, or our own main that only blank-imports packages. */
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
  /** Debian architecture -> paths in an image of the loader (first) and the libraries, extracted from the packages. */
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

/**
 * A package from the npm registry, installed with its dependencies to the part's own folder, without install scripts.
 */
export interface NpmRecipe extends RecipeBase {
  readonly kind: 'npm';
  readonly package: string;
  /**
   * The lockfile beside this file with all packages and their checksums, and its own checksum. It is created by `npm
   * install --package-lock-only` in a folder whose package.json requires only this package.
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

/** The expected output of a program (on either stream). */
export interface Verification {
  readonly args: readonly string[];
  readonly prints: string;
  /** Environment variables that it needs. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Part name -> recipe. */
export type PartTable = Readonly<Record<string, Recipe>>;
