// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDirectory } from '../parts/cache-directory.ts';
import { outputOf } from '../process/run-program.ts';
import { type ImageFile, program } from './image.ts';
import { sharedLibraries } from './shared-libraries.ts';

/** Node in the image: the program and its libraries, and nothing else. */
export async function nodeRuntime(root: string, cache: string = cacheDirectory()): Promise<readonly ImageFile[]> {
  const node = await strippedNode(pinnedNode(root), cache);
  const licence = join(root, 'node_modules', `node-linux-${process.arch}`, 'LICENSE');
  return [
    program('/usr/local/bin/node', node),
    ...(await sharedLibraries(node)).map((path) => program(path, path)),
    ...(existsSync(licence)
      ? [{ kind: 'file', path: '/usr/share/licenses/node/LICENSE', content: { source: licence } } as const]
      : []),
  ];
}

function pinnedNode(root: string): string {
  const pinned = join(root, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  return existsSync(pinned) ? pinned : process.execPath;
}

/** Without symbols Node is a seventh smaller. If `strip` is missing, it is not stripped. */
async function strippedNode(node: string, cache: string): Promise<string> {
  const stdout = await outputOf([node, '--version']);
  const directory = join(cache, 'images');
  const stripped = join(directory, `node-${stdout.trim()}-${process.arch}`);
  if (existsSync(stripped)) return stripped;
  await mkdir(directory, { recursive: true });
  const half = `${stripped}.${process.pid}`;
  try {
    await outputOf(['strip', '-o', half, node]).catch(() => copyFile(node, half));
    await rename(half, stripped);
  } finally {
    await rm(half, { force: true });
  }
  return stripped;
}
