// SPDX-License-Identifier: Apache-2.0
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildContext } from '../build/build-context.ts';
import { PartError } from '../part.ts';
import { goOrThrow } from './go-toolchain.ts';
import type { GoRecipe } from './recipe.ts';

/**
 * Kubernetes as a Go module cannot be used as a dependency directly: it requires its staging modules in a version that
 * does not exist and replaces them by its own source tree. This pins each of them to its published version.
 */
export async function resolveKubernetes(
  context: BuildContext,
  recipe: GoRecipe,
  staging: NonNullable<GoRecipe['staging']>,
): Promise<void> {
  const [kubernetes] = recipe.modules;
  if (!kubernetes) throw new PartError('BuildFailed', `${context.name}: its row in the table names no module`);
  const versioned = `${kubernetes.path}@${kubernetes.version}`;
  const download = await goOrThrow(context, `fetching ${versioned}`, ['mod', 'download', '-json', versioned]);
  const source = await readFile(join(downloadedDirectory(download), 'go.mod'), 'utf8');
  const replaced = stagingModules(source).map((name) => `\t${name} => ${name} ${staging.version}\n`);
  await writeFile(
    join(context.work, 'go.mod'),
    `module parts\n\ngo ${recipe.go}\n\nrequire ${kubernetes.path} ${kubernetes.version}\n\nreplace (\n${replaced.join('')})\n`,
  );
  const imports = staging.commands.map((command) => `\t_ "${kubernetes.path}/cmd/${command}"\n`);
  await writeFile(
    join(context.work, 'tools.go'),
    `//go:build tools\n\npackage parts\n\nimport (\n${imports.join('')})\n`,
  );
  await goOrThrow(context, 'fetching Go modules', ['mod', 'tidy']);
}

/** The modules that a go.mod of Kubernetes replaces by its own tree. */
export function stagingModules(goMod: string): readonly string[] {
  const replaced = goMod.matchAll(/^\s*(?:replace\s+)?(k8s\.io\/[a-z0-9.-]+)\s*=>\s*\.\/staging\//gm);
  const unversioned = goMod.matchAll(/^\s*(?:require\s+)?(k8s\.io\/[a-z0-9.-]+)\s+v0\.0\.0(?:\s|$)/gm);
  return [...new Set([...replaced, ...unversioned].flatMap(([, name]) => (name ? [name] : [])))].sort();
}

function downloadedDirectory(json: string): string {
  const answer: unknown = JSON.parse(json);
  if (typeof answer === 'object' && answer !== null && 'Dir' in answer && typeof answer.Dir === 'string')
    return answer.Dir;
  throw new PartError('BuildFailed', '`go mod download` did not say where it put the module; is this Go too old?');
}
