// SPDX-License-Identifier: Apache-2.0
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildContext, PartContents } from '../build/build-context.ts';
import { PartError } from '../part.ts';
import { goOrThrow, requireGo } from './go-toolchain.ts';
import { resolveKubernetes } from './kubernetes-module.ts';
import type { GoModule, GoProgram, GoRecipe } from './recipe.ts';

/** Downloads a recipe's modules with the user's Go configuration, verifies them, and compiles static programs. */
export async function buildWithGo(context: BuildContext, recipe: GoRecipe): Promise<PartContents> {
  await mkdir(join(context.work, 'tmp'), { recursive: true });
  await requireGo(context, recipe.go);
  context.task.step('fetching modules');
  if (recipe.staging) await resolveKubernetes(context, recipe, recipe.staging);
  else await resolveModules(context, recipe);
  await checkSums(context, recipe.modules);
  for (const program of recipe.programs) {
    context.task.step(`compiling ${program.name}`);
    await compile(context, recipe, program);
  }
  return { programs: Object.fromEntries(recipe.programs.map(({ name }) => [name, name])), libraries: {} };
}

async function resolveModules(context: BuildContext, recipe: GoRecipe): Promise<void> {
  await writeFile(join(context.work, 'go.mod'), `module parts\n\ngo ${recipe.go}\n`);
  const wanted = recipe.programs.flatMap(({ source }) => ('package' in source ? [source.package] : source.imports));
  const versioned = wanted.flatMap((name) => {
    const module = moduleOf(recipe.modules, name);
    return module ? [`${name}@${module.version}`] : [];
  });
  if (versioned.length > 0) await goOrThrow(context, 'fetching Go modules', ['get', ...versioned]);
}

/** The module of a package: the longest matching path. Packages of Go itself have none. */
function moduleOf(modules: readonly GoModule[], name: string): GoModule | undefined {
  return modules
    .filter(({ path }) => name === path || name.startsWith(`${path}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** The modules in the table must have the table's hash, whatever the user's checksum database says. */
async function checkSums(context: BuildContext, modules: readonly GoModule[]): Promise<void> {
  if (modules.length === 0) return;
  const lines = new Set((await readFile(join(context.work, 'go.sum'), 'utf8')).split('\n'));
  for (const { path, version, sum } of modules) {
    if (lines.has(`${path} ${version} ${sum}`)) continue;
    throw new PartError(
      'ChecksumMismatch',
      `${context.name}: the Go module ${path}@${version} does not have the checksum ${sum} that this project expects, so nothing of it was kept; check where your Go modules come from (\`go env GOPROXY\`)`,
    );
  }
}

async function compile(context: BuildContext, recipe: GoRecipe, program: GoProgram): Promise<void> {
  const { source } = program;
  let target: string;
  if ('package' in source) target = source.package;
  else {
    target = `./${program.name}`;
    await mkdir(join(context.work, program.name), { recursive: true });
    await writeFile(join(context.work, program.name, 'main.go'), source.main);
  }
  const variables = Object.entries(recipe.variables ?? {}).map(([name, value]) => ` -X ${name}=${value}`);
  const args = ['build', '-trimpath', '-ldflags', `-s -w${variables.join('')}`];
  if (recipe.tags) args.push('-tags', recipe.tags.join(','));
  await goOrThrow(context, `compiling ${program.name}`, [...args, '-o', join(context.output, program.name), target]);
}
