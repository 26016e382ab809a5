// SPDX-License-Identifier: Apache-2.0
import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PartContents } from './build/build-context.ts';
import type { Part } from './part.ts';

const fileName = 'part.json';

/** Writes the list of a part's files, and syncs all of it to the disk before the part is renamed into place. */
export async function writeManifest(directory: string, version: string, contents: PartContents): Promise<void> {
  await writeFile(join(directory, fileName), `${JSON.stringify({ version, ...contents }, undefined, 2)}\n`);
  const files = [...Object.values(contents.programs), ...Object.values(contents.libraries), fileName];
  const directories = new Set(files.map((file) => dirname(join(directory, file))));
  for (const path of [...files.map((file) => join(directory, file)), ...directories]) {
    await using handle = await open(path, 'r');
    await handle.sync();
  }
}

/** The part in a directory, or undefined if there is none or one of its files is missing. */
export async function readPart(name: string, directory: string): Promise<Part | undefined> {
  const text = await readFile(join(directory, fileName), 'utf8').catch(() => undefined);
  const manifest = text === undefined ? undefined : parseManifest(text);
  if (!manifest) return undefined;
  const programs = absolute(directory, manifest.programs);
  const libraries = absolute(directory, manifest.libraries);
  for (const path of [...Object.values(programs), ...Object.values(libraries)]) {
    const size = await stat(path).then(
      (found) => found.size,
      () => 0,
    );
    if (size === 0) return undefined;
  }
  return { name, version: manifest.version, directory, programs, libraries };
}

function parseManifest(text: string): (PartContents & { readonly version: string }) | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { version, programs, libraries } = value;
  if (typeof version !== 'string' || !isStrings(programs) || !isStrings(libraries)) return undefined;
  return { version, programs, libraries };
}

function isRecord(value: unknown): value is {
  readonly [key: string]: unknown;
  readonly version?: unknown;
  readonly programs?: unknown;
  readonly libraries?: unknown;
} {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStrings(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((item) => typeof item === 'string');
}

function absolute(directory: string, paths: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(paths).map(([key, path]) => [key, join(directory, path)]));
}
