// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { cacheDirectory } from '../parts/cache-directory.ts';
import { ensurePart } from '../parts/index.ts';
import { type ImageFile, program } from './image.ts';

const run = promisify(execFile);

/** Architectures that are released, as image indexes spell them. */
export const architectures = ['amd64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

/**
 * Node and its libraries for an image of either architecture. They come from packages that are pinned by checksum and are taken as they
 * are, so that every machine makes the same image of them.
 */
export async function pinnedRuntime(architecture: Architecture, root: string): Promise<readonly ImageFile[]> {
  const node = await pinnedNode(architecture, root);
  const { libraries } = await ensurePart(`node-libraries-${architecture}`);
  return [
    program('/usr/local/bin/node', join(node, 'bin', 'node')),
    ...Object.entries(libraries).map(([path, source]) => program(path, source)),
    { kind: 'file', path: '/usr/share/licenses/node/LICENSE', content: { source: join(node, 'LICENSE') } },
  ];
}

/** The folder of the Node that package-lock.json pins, for either architecture. npm installs that of this machine. */
export async function pinnedNode(architecture: Architecture, root: string): Promise<string> {
  const name = nodePackage(architecture);
  const installed = join(root, 'node_modules', name);
  if (existsSync(join(installed, 'bin', 'node'))) return installed;
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>;
  };
  const pinned = packages[`node_modules/${name}`];
  if (!pinned)
    throw new Error(`package-lock.json does not pin ${name}: add it to optionalDependencies of package.json`);
  return nodeFolder({ ...pinned, architecture });
}

function nodePackage(architecture: Architecture): string {
  return `node-linux-${architecture === 'amd64' ? 'x64' : architecture}`;
}

/** A Node that npm packages. */
export interface PinnedNode {
  readonly architecture: Architecture;
  readonly version: string;
  /** What the download is compared with, `sha512-...`. */
  readonly integrity: string;
}

/** The folder of a Node, which is fetched once and kept in the cache. */
export async function nodeFolder({ architecture, version, integrity }: PinnedNode): Promise<string> {
  const name = nodePackage(architecture);
  const folder = join(cacheDirectory(), 'images', `${name}-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(join(folder, '..'), { recursive: true });
  const work = await mkdtemp(`${folder}.`);
  try {
    const { stdout } = await run('npm', ['pack', '--silent', `--pack-destination=${work}`, `${name}@${version}`]);
    const archive = join(work, stdout.trim().split('\n').at(-1) ?? '');
    const hash = createHash('sha512');
    await pipeline(createReadStream(archive), hash);
    if (`sha512-${hash.digest('base64')}` !== integrity)
      throw new Error(`${name}@${version} is not what is pinned here: check the registry that npm is set up to use`);
    await run('tar', ['-xzf', archive, '-C', work]);
    await rename(join(work, 'package'), folder);
    return folder;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
