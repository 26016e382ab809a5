// SPDX-License-Identifier: Apache-2.0
import { mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import type { WrittenFile } from './container-runtime.ts';

const current = '..data';

/**
 * Writes the files of a volume. A reader sees either all old files or all new ones: new files are written to a folder
 * of their own, then the link `..data` is switched to that folder. Programs in pods know and watch this layout.
 * @param name of the new folder, without the leading dots; if the link points to it already, nothing is written
 */
export async function writeVolume(directory: string, files: readonly WrittenFile[], name: string): Promise<void> {
  const folder = `..${name}`;
  const before = await readlink(join(directory, current)).catch(() => undefined);
  if (before === folder) return;
  await mkdir(join(directory, folder), { recursive: true });
  for (const { path, base64, mode } of files) {
    const file = join(directory, folder, normalize(`/${path}`));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, base64, { encoding: 'base64', mode });
  }
  await switchLink(join(directory, current), folder);
  await linkNames(directory, new Set(files.map(({ path }) => firstPart(path))));
  if (before) await rm(join(directory, before), { recursive: true, force: true });
}

async function linkNames(directory: string, names: ReadonlySet<string>): Promise<void> {
  for (const name of names) await switchLink(join(directory, name), join(current, name));
  for (const name of await readdir(directory)) {
    if (!name.startsWith('..') && !names.has(name)) await rm(join(directory, name), { force: true });
  }
}

async function switchLink(path: string, target: string): Promise<void> {
  if ((await readlink(path).catch(() => undefined)) === target) return;
  const temporary = join(dirname(path), '..link');
  await rm(temporary, { force: true });
  await symlink(target, temporary);
  await rename(temporary, path);
}

function firstPart(path: string): string {
  return normalize(`/${path}`).split('/')[1] ?? '';
}
