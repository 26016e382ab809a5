// SPDX-License-Identifier: Apache-2.0
import { access, constants, copyFile, realpath } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type BuildContext, type PartContents, runInBuild } from './build/build-context.ts';
import type { GoProgram, GoRecipe } from './recipes/recipe.ts';
import { isStaticProgram } from './recipes/static-program.ts';

/**
 * Copies programs of the machine instead of building them: all must be on PATH, statically linked, with the wanted
 * minor and at least the wanted patch. They are copied because a part must not change when the machine is upgraded, and
 * its directory must contain nothing else. Returns undefined if anything does not match.
 */
export async function takeFromPath(
  context: BuildContext,
  recipe: GoRecipe,
): Promise<(PartContents & { readonly version: string }) | undefined> {
  const found: { readonly name: string; readonly path: string; readonly version: string }[] = [];
  for (const program of recipe.programs) {
    const path = await findOnPath(program.name, context.environment['PATH'] ?? '');
    if (path === undefined || !(await isStaticProgram(path))) return undefined;
    const version = await fittingVersion(context, recipe.version, program, path);
    if (version === undefined) return undefined;
    found.push({ name: program.name, path, version });
  }
  const [first] = found;
  if (!first || found.some(({ version }) => version !== first.version)) return undefined;
  context.task.note(`using version ${first.version} found on PATH`);
  for (const { name, path } of found) await copyFile(path, join(context.output, name));
  return { version: first.version, programs: Object.fromEntries(found.map(({ name }) => [name, name])), libraries: {} };
}

async function fittingVersion(
  context: BuildContext,
  wanted: string,
  program: GoProgram,
  path: string,
): Promise<string | undefined> {
  const result = await runInBuild(context, path, program.verify.args);
  return [...`${result.stdout}${result.stderr}`.matchAll(/\b(\d+\.\d+\.\d+)(?![\w.-])/g)]
    .map(([, version]) => version)
    .find((version) => version !== undefined && standsInFor(version, wanted));
}

/** The same minor, the same patch or a later one. */
export function standsInFor(found: string, wanted: string): boolean {
  const [foundMajor, foundMinor, foundPatch = 0] = found.split('.').map(Number);
  const [major, minor, patch = 0] = wanted.split('.').map(Number);
  return foundMajor === major && foundMinor === minor && foundPatch >= patch;
}

/** The file of a program's name, if a folder of `path` contains it. */
export async function findOnPath(name: string, path: string): Promise<string | undefined> {
  for (const directory of path.split(delimiter)) {
    if (directory === '') continue;
    const candidate = join(directory, name);
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return realpath(candidate);
  }
  return undefined;
}
