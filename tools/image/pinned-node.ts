// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { cacheDirectory } from '../parts/cache-directory.ts';
import { ensurePart } from '../parts/index.ts';
import { outputOf } from '../process/run-program.ts';
import { type ImageFile, program } from './image.ts';

/** Released architectures, in the notation of image indexes. */
export const architectures = ['amd64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

/**
 * Node and its libraries for an image of either architecture. They come from packages pinned by checksum and are copied
 * unchanged, so that every machine builds the same image.
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

/**
 * The folder of the Node that package-lock.json pins, for either architecture. npm installs only that of this machine.
 */
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

/** A Node in an npm package. */
export interface PinnedNode {
  readonly architecture: Architecture;
  readonly version: string;
  /** The expected hash of the download, `sha512-...`. */
  readonly integrity: string;
}

/** The folder of a Node, which is downloaded once and cached. */
export async function nodeFolder({ architecture, version, integrity }: PinnedNode): Promise<string> {
  const name = nodePackage(architecture);
  const folder = join(cacheDirectory(), 'images', `${name}-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(join(folder, '..'), { recursive: true });
  const work = await mkdtemp(`${folder}.`);
  try {
    const stdout = await outputOf(['npm', 'pack', '--silent', `--pack-destination=${work}`, `${name}@${version}`]);
    const archive = join(work, stdout.trim().split('\n').at(-1) ?? '');
    const hash = createHash('sha512');
    await pipeline(createReadStream(archive), hash);
    if (`sha512-${hash.digest('base64')}` !== integrity)
      throw new Error(`${name}@${version} is not what is pinned here: check the registry that npm is set up to use`);
    await outputOf(['tar', '-xzf', archive, '-C', work]);
    await rename(join(work, 'package'), folder);
    return folder;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
