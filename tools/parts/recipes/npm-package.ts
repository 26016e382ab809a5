// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildContext, type PartContents, runInBuild } from '../build/build-context.ts';
import { toolError } from '../build/tool-failure.ts';
import { PartError } from '../part.ts';
import type { NpmRecipe } from './recipe.ts';

/**
 * Installs a recipe's package with the user's npm configuration, exactly as in its lockfile. It stays in the part's own
 * folder and never becomes a dependency of this project; install scripts are not run.
 */
export async function installFromNpm(context: BuildContext, recipe: NpmRecipe): Promise<PartContents> {
  const manifest = { private: true, dependencies: { [recipe.package]: recipe.version } };
  await writeFile(join(context.output, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await writeFile(join(context.output, 'package-lock.json'), await lockfileOf(context, recipe));
  context.task.step(`fetching ${recipe.package} and what it needs`);
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const args = ['ci', `--prefix=${context.output}`, '--ignore-scripts', '--omit=dev', ...quiet];
  const result = await runInBuild(context, 'npm', args);
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
  const programs = recipe.programs.map(({ name }) => [name, join('node_modules', '.bin', name)]);
  return { programs: Object.fromEntries(programs), libraries: {} };
}

/** The recipe contains the lockfile's checksum, so that another lockfile is another part. */
async function lockfileOf(context: BuildContext, { lockfile }: NpmRecipe): Promise<Buffer> {
  const text = await readFile(new URL(lockfile.path, new URL('../', import.meta.url)));
  const found = createHash('sha256').update(text).digest('hex');
  if (found === lockfile.sha256) return text;
  throw new PartError(
    'ChecksumMismatch',
    `${context.name}: ${lockfile.path} has the SHA-256 ${found} instead of ${lockfile.sha256}: put the right one of the two into the table`,
  );
}
