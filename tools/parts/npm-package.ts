// SPDX-License-Identifier: Apache-2.0
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildContext, type PartContents, runInBuild } from './build-context.ts';
import { PartError } from './part.ts';
import type { NpmRecipe } from './recipe.ts';
import { toolError } from './tool-failure.ts';

/**
 * Installs a recipe's package through the user's npm configuration. It stays in the part's own folder and never becomes a
 * dependency of this project; none of the install scripts that it brings are run.
 */
export async function installFromNpm(context: BuildContext, recipe: NpmRecipe): Promise<PartContents> {
  const manifest = { private: true, dependencies: { [recipe.package]: recipe.version } };
  await writeFile(join(context.output, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  context.task.step(`fetching ${recipe.package} and what it needs`);
  const result = await runInBuild(context, 'npm', [
    'install',
    `--prefix=${context.output}`,
    `--before=${recipe.before}`,
    '--ignore-scripts',
    '--omit=dev',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--loglevel=error',
  ]);
  if (result.outcome === 'missing') {
    throw new PartError(
      'MissingPrerequisite',
      `${context.name} is an npm package, and npm was not found on PATH: install it and run the command again`,
    );
  }
  if (result.outcome === 'failed') {
    throw toolError({
      doing: `${context.name}: installing ${recipe.package}`,
      result,
      networkAdvice: 'check the network, or the registry that `npm config get registry` shows',
    });
  }
  await checkIntegrity(context, recipe);
  return {
    programs: Object.fromEntries(recipe.programs.map(({ name }) => [name, join('node_modules', '.bin', name)])),
    libraries: {},
  };
}

/** npm has compared the archive with what the registry says of it; this compares that with the table. */
async function checkIntegrity(context: BuildContext, recipe: NpmRecipe): Promise<void> {
  const text = await readFile(join(context.output, 'package-lock.json'), 'utf8');
  const lock: { packages?: Readonly<Record<string, { integrity?: string }>> } = JSON.parse(text);
  const found = lock.packages?.[`node_modules/${recipe.package}`]?.integrity;
  if (found === recipe.integrity) return;
  throw new PartError(
    'ChecksumMismatch',
    `${context.name}: the npm package ${recipe.package}@${recipe.version} has the checksum ${found ?? '(none)'} instead of ${recipe.integrity} that this project expects, so nothing of it was kept; check where your npm packages come from (\`npm config get registry\`)`,
  );
}
