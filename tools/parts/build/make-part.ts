// SPDX-License-Identifier: Apache-2.0
import { mkdir, rename, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { collect } from '../collection.ts';
import { readPart, writeManifest } from '../manifest.ts';
import { takeFromPath } from '../on-path.ts';
import { type Part, PartError } from '../part.ts';
import { unpackDebian } from '../recipes/debian-package.ts';
import { buildWithGo } from '../recipes/go-build.ts';
import { installFromNpm } from '../recipes/npm-package.ts';
import type { Recipe } from '../recipes/recipe.ts';
import type { BuildContext, PartContents } from './build-context.ts';
import { createBuildDirectory, removeBuildDirectory } from './build-directory.ts';
import { asNoSpace, megabytes } from './free-space.ts';
import { type Progress, seconds } from './progress.ts';
import { verifyPrograms } from './verify.ts';

/** A part to be built by a caller that holds its lock. */
export interface Making {
  readonly name: string;
  readonly recipe: Recipe;
  /** The directory of all parts. */
  readonly parts: string;
  /** The final place of the part. */
  readonly directory: string;
  /** For a collection, its parts. */
  readonly members: readonly Part[];
  /** True if programs on PATH may be used instead. */
  readonly fromPath: boolean;
  readonly progress: Progress;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Builds or unpacks a part beside its place, verifies it there, and renames it into place as the last step. */
export async function makePart(making: Making): Promise<Part> {
  const { name, recipe, directory } = making;
  const started = performance.now();
  const title = `${name} (${recipe.version})`;
  const build = await createBuildDirectory(making.parts, basename(directory));
  const task = making.progress.begin(`${title}: ${verbs[recipe.kind]}`);
  const context: BuildContext = {
    name,
    directory: build,
    work: join(build, 'work'),
    output: join(build, 'part'),
    environment: making.environment,
    signal: making.signal,
    task,
  };
  let closingLine: string | undefined;
  try {
    await mkdir(context.work);
    await mkdir(context.output);
    const product = await produce(context, making);
    await writeManifest(context.output, product.version ?? recipe.version, product.contents);
    making.signal.throwIfAborted();
    const place = product.isFromPath ? fromPathDirectory(directory) : directory;
    await moveIntoPlace(context, place);
    const part = await readPart(name, place);
    if (!part) throw new PartError('VerificationFailed', `${name}: ${place} is not complete after it was made`);
    closingLine = `${title}: ready in ${seconds(performance.now() - started)}, ${megabytes(await sizeOf(part))}`;
    return part;
  } catch (error) {
    throw asNoSpace(name, making.parts, recipe.bytesNeeded, error);
  } finally {
    await removeBuildDirectory(build);
    task.end(closingLine);
  }
}

const verbs: Readonly<Record<Recipe['kind'], string>> = {
  go: 'building',
  debian: 'unpacking',
  npm: 'installing',
  collection: 'putting together',
};

/** Programs from PATH are stored separately, so that a request for the exact version never gets them. */
export function fromPathDirectory(directory: string): string {
  return `${directory}-path`;
}

interface Product {
  readonly contents: PartContents;
  /** If it differs from the recipe's. */
  readonly version?: string;
  readonly isFromPath?: boolean;
}

async function produce(context: BuildContext, making: Making): Promise<Product> {
  const { recipe } = making;
  switch (recipe.kind) {
    case 'go': {
      const found = making.fromPath && recipe.mayComeFromPath ? await takeFromPath(context, recipe) : undefined;
      if (found) return { contents: found, version: found.version, isFromPath: true };
      const contents = await buildWithGo(context, recipe);
      await verifyPrograms(context, contents, recipe.programs);
      return { contents };
    }
    case 'debian': {
      const contents = await unpackDebian(context, recipe);
      await verifyPrograms(context, contents, recipe.programs);
      return { contents };
    }
    case 'npm': {
      const contents = await installFromNpm(context, recipe);
      await verifyPrograms(context, contents, recipe.programs);
      return { contents };
    }
    case 'collection':
      // Each of them was verified when it was built, and these are the same files.
      return { contents: await collect(context, making.members) };
  }
}

/** An existing entry that is not complete has lost files; it is replaced. */
async function moveIntoPlace(context: BuildContext, directory: string): Promise<void> {
  await rename(directory, join(context.directory, 'broken')).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  });
  await rename(context.output, directory);
}

/** Size of a part's programs and libraries. */
export async function sizeOf(part: Part): Promise<number> {
  const files = [...Object.values(part.programs), ...Object.values(part.libraries)];
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
