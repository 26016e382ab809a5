// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDirectory } from '../parts/cache-directory.ts';
import { type Image, type ImageFile, imageArchitecture } from './image.ts';
import { writeOciArchive } from './oci-archive.ts';

/** Increased when the writer's output for the same image changes. */
const writerVersion = 1;

/**
 * An uncompressed archive of the image for import on this machine, created once and cached in the user's cache
 * directory until the image's content changes. Returns its path. An older archive with the same first name is removed.
 */
export async function cachedArchive(image: Image, cache: string = cacheDirectory()): Promise<string> {
  const directory = join(cache, 'images');
  await mkdir(directory, { recursive: true });
  const slug = (image.names[0] ?? 'unnamed').replaceAll(/[^\w.]+/g, '-');
  const file = join(directory, `${slug}.${await contentKey(image)}.tar`);
  if (await exists(file)) return file;
  await writeOciArchive(image, file, { compression: 'none' });
  const isOutdated = (name: string) =>
    name.startsWith(`${slug}.`) &&
    /^[0-9a-f]{16}\.tar$/.test(name.slice(slug.length + 1)) &&
    join(directory, name) !== file;
  for (const name of (await readdir(directory)).filter(isOutdated)) await rm(join(directory, name), { force: true });
  return file;
}

/** Differs whenever the archive would. Files of this machine are identified by path, size and modification time. */
async function contentKey(image: Image): Promise<string> {
  const { files, ...rest } = image;
  const hash = createHash('sha256').update(JSON.stringify([writerVersion, imageArchitecture(), rest]));
  for (const file of files) hash.update(JSON.stringify(await identityOf(file)));
  return hash.digest('hex').slice(0, 16);
}

async function identityOf(file: ImageFile): Promise<readonly unknown[]> {
  if (file.kind !== 'file') return [file];
  const { path, mode, content } = file;
  if (content instanceof Uint8Array) return [path, mode, createHash('sha256').update(content).digest('hex')];
  const { size, mtimeMs } = await stat(content.source);
  return [path, mode, content.source, size, mtimeMs];
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
