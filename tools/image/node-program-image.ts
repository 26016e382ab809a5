// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram } from '../build/build-programs.ts';
import { repositoryRoot } from '../repository-root.ts';
import { type Image, type ImageFile, text } from './image.ts';
import { nodeRuntime } from './node-runtime.ts';

export interface NodeProgram {
  readonly names: readonly string[];
  /** Its main TypeScript file, from the root of the repository. */
  readonly entry: string;
  /** Its name on PATH in the image. */
  readonly program: string;
}

/** Node and one bundled program of this repository, which is the image's default command. */
export async function nodeProgramImage(what: NodeProgram, root = repositoryRoot): Promise<Image> {
  return {
    names: what.names,
    files: [
      ...(await nodeRuntime(root)),
      ...(await nodeProgramFiles(what, root)),
      { kind: 'directory', path: '/tmp', mode: 0o1777 },
    ],
    command: [what.program],
    environment: ['PATH=/usr/local/bin:/usr/bin:/bin'],
  };
}

/** The program, an ES module with a shebang line for Node, and the link with its command name. */
export async function nodeProgramFiles(
  { entry, program }: NodeProgram,
  root = repositoryRoot,
): Promise<readonly ImageFile[]> {
  const out = await mkdtemp(join(tmpdir(), 'etcd-operator-image-'));
  try {
    await buildProgram({ name: 'program', entry: join(root, entry) }, { root, out });
    const target = `/usr/local/lib/${program}.mjs`;
    const content = await readFile(join(out, 'program.mjs'), 'utf8');
    return [
      text(target, `#!/usr/local/bin/node\n${content}`, 0o755),
      { kind: 'link', path: `/usr/local/bin/${program}`, target },
    ];
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}
