// SPDX-License-Identifier: Apache-2.0
import { createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { ImageFile } from '../image/image.ts';
import { tar } from '../image/tar.ts';

/** Writes entries as a .tar.gz. No time, no owner and no order of a folder is in it: equal entries give equal bytes. */
export async function writeTarball(entries: readonly ImageFile[], file: string): Promise<void> {
  await pipeline(Readable.from(tar(entries)), createGzip({ level: 9 }), createWriteStream(file));
}

/** All files below a folder, below another path; files that begin with a dot are left out. */
export async function filesBelow(folder: string, path: string): Promise<readonly ImageFile[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((source) => ({
      kind: 'file',
      path: `${path}/${relative(folder, source).split(sep).join('/')}`,
      content: { source },
    }));
}
