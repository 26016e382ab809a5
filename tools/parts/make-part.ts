// SPDX-License-Identifier: Apache-2.0
import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildContext, PartContents } from './build-context.ts';
import { createBuildDirectory, removeBuildDirectory } from './build-directory.ts';
import { megabytes } from './free-space.ts';
import { buildWithGo } from './go-build.ts';
import { readPart, writeManifest } from './manifest.ts';
import { type Part, PartError } from './part.ts';
import { type Progress, seconds } from './progress.ts';
import type { Recipe } from './recipe.ts';
import { verifyPrograms } from './verify.ts';

/** One part to be made, by a caller that holds its lock. */
export interface Making {
  readonly name: string;
  readonly recipe: Recipe;
  /** The directory of all parts. */
  readonly parts: string;
  /** Where the part goes. */
  readonly directory: string;
  /** For a collection, what it is made of. */
  readonly members: readonly Part[];
  readonly progress: Progress;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | undefined;
}

/** Builds or unpacks a part beside its place, verifies it there, and renames it into place as the very last step. */
export async function makePart(making: Making): Promise<Part> {
  const { name, recipe, directory } = making;
  const started = performance.now();
  const title = `${name} (${recipe.version})`;
  const task = making.progress.begin(`${title}: ${verbs[recipe.kind]}`);
  const build = await createBuildDirectory(making.parts, directory.slice(making.parts.length + 1));
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
    const contents = await produce(context, making);
    await writeManifest(context.output, recipe.version, contents);
    making.signal?.throwIfAborted();
    await moveIntoPlace(context, directory);
    const part = await readPart(name, directory);
    if (!part) throw new PartError('VerificationFailed', `${name}: ${directory} is not complete after it was made`);
    closingLine = `${title}: ready in ${seconds(performance.now() - started)}, ${megabytes(await sizeOf(part))}`;
    return part;
  } finally {
    await removeBuildDirectory(build);
    task.end(closingLine);
  }
}

const verbs: Readonly<Record<Recipe['kind'], string>> = {
  go: 'building',
  debian: 'unpacking',
  collection: 'putting together',
};

async function produce(context: BuildContext, making: Making): Promise<PartContents> {
  const { recipe } = making;
  switch (recipe.kind) {
    case 'go': {
      const contents = await buildWithGo(context, recipe);
      const programs = recipe.programs.map(({ name, verify }) => ({ name, path: name, verify }));
      await verifyPrograms(context, programs);
      return contents;
    }
    case 'debian':
    case 'collection':
      throw new PartError('BuildFailed', `${making.name}: not available yet`);
  }
}

/** An entry that is there and yet was not taken as complete has lost files since; it makes room. */
async function moveIntoPlace(context: BuildContext, directory: string): Promise<void> {
  await rename(directory, join(context.directory, 'broken')).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  });
  await rename(context.output, directory);
}

/** Bytes of a part's programs and libraries. */
export async function sizeOf(part: Part): Promise<number> {
  const files = [...Object.values(part.programs), ...Object.values(part.libraries)];
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
