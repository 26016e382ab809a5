// SPDX-License-Identifier: Apache-2.0
import { chmod, copyFile, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ImageFile } from './image.ts';

/** Writes the files of an image to a folder, as below the root of a container. */
export async function layOut(files: readonly ImageFile[], folder: string): Promise<void> {
  for (const file of files) {
    const target = join(folder, file.path);
    await mkdir(file.kind === 'directory' ? target : dirname(target), { recursive: true });
    if (file.kind === 'directory') continue;
    await rm(target, { force: true });
    if (file.kind === 'link') await symlink(file.target, target);
    else await writeOne(file, target);
  }
}

async function writeOne(file: Extract<ImageFile, { kind: 'file' }>, target: string): Promise<void> {
  if (file.content instanceof Uint8Array) await writeFile(target, file.content);
  else await copyFile(file.content.source, target);
  await chmod(target, file.mode ?? 0o644);
}
