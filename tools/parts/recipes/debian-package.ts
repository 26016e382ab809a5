// SPDX-License-Identifier: Apache-2.0
import { chmod, copyFile, lstat, mkdir, readlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type BuildContext, type PartContents, runInBuild } from '../build/build-context.ts';
import { toolError } from '../build/tool-failure.ts';
import { PartError } from '../part.ts';
import { downloadPackage, mirrors } from './apt-mirror.ts';
import type { DebianPackage, DebianRecipe } from './recipe.ts';

/** Node's name of an architecture -> Debian's. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Downloads a recipe's packages, unpacks them without installing, and extracts the programs and libraries. */
export async function unpackDebian(context: BuildContext, recipe: DebianRecipe): Promise<PartContents> {
  const architecture = architectures[process.arch] ?? process.arch;
  const packages = process.platform === 'linux' ? recipe.packages[architecture] : undefined;
  if (!packages) {
    throw new PartError(
      'UnsupportedPlatform',
      `${context.name} is not to be had for ${process.platform}/${process.arch}`,
    );
  }
  const root = join(context.work, 'root');
  await mkdir(root);
  context.task.step('asking apt for its mirrors');
  const roots = await mirrors(context);
  for (const wanted of packages) await unpack(context, roots, wanted, root);
  const programs: Record<string, string> = {};
  for (const { name, path } of recipe.programs) {
    await take(context, root, path, name, 0o755);
    programs[name] = name;
  }
  const libraries: Record<string, string> = {};
  for (const path of recipe.libraries?.[architecture] ?? []) {
    const place = join('rootfs', path);
    await take(context, root, path, place, 0o755);
    libraries[path] = place;
  }
  return { programs, libraries };
}

async function unpack(
  context: BuildContext,
  roots: readonly string[],
  wanted: DebianPackage,
  root: string,
): Promise<void> {
  const file = join(context.work, basename(wanted.path));
  context.task.step(`downloading ${basename(wanted.path)}`);
  await downloadPackage(context, roots, wanted, file);
  context.task.step(`unpacking ${basename(wanted.path)}`);
  const result = await runInBuild(context, 'dpkg-deb', ['-x', file, root]);
  if (result.outcome === 'ok') return;
  if (result.outcome === 'missing') {
    throw new PartError(
      'MissingPrerequisite',
      `${context.name} is a Debian package, and dpkg-deb was not found on PATH: install dpkg and run the command again`,
    );
  }
  throw toolError({ doing: `${context.name}: unpacking ${basename(wanted.path)}`, result, networkAdvice: '' });
}

/** Copies one file of the unpacked packages, resolving links as inside an image. */
async function take(context: BuildContext, root: string, path: string, place: string, mode: number): Promise<void> {
  const target = join(context.output, place);
  await mkdir(dirname(target), { recursive: true });
  await copyFile(join(root, await followLinks(root, path)), target);
  await chmod(target, mode);
}

/** The target of a path, with links resolved relative to `root` instead of this machine's root. */
export async function followLinks(root: string, path: string, hops = 20): Promise<string> {
  const parent = path === '/' ? '/' : dirname(resolve('/', path));
  const realParent = parent === '/' ? '/' : await followLinks(root, parent, hops);
  const here = join(realParent, basename(path));
  const found = await lstat(join(root, here)).catch(() => undefined);
  if (!found?.isSymbolicLink()) return here;
  if (hops === 0) throw new Error(`${path} is a chain of links without end`);
  return followLinks(root, resolve(realParent, await readlink(join(root, here))), hops - 1);
}
