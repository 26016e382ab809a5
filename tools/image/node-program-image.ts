// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram } from '../build/build-programs.ts';
import { repositoryRoot } from '../repository-root.ts';
import { type Image, text } from './image.ts';
import { nodeRuntime } from './node-runtime.ts';

export interface NodeProgram {
  readonly names: readonly string[];
  /** The TypeScript file it starts with, from the root of the repository. */
  readonly entry: string;
  /** Where it is in the image; by this path a pod starts it. */
  readonly path: string;
}

/** Node and one program of this repository with everything it imports, where its manifests expect it. */
export async function nodeProgramImage({ names, entry, path }: NodeProgram, root = repositoryRoot): Promise<Image> {
  const out = await mkdtemp(join(tmpdir(), 'etcd-operator-image-'));
  try {
    await buildProgram({ name: 'program', entry: join(root, entry) }, { root, out });
    return {
      names,
      files: [
        ...(await nodeRuntime(root)),
        text(path, await readFile(join(out, 'program.mjs'), 'utf8')),
        // What is bundled is an ES module, whatever the file is called.
        text('/package.json', '{ "type": "module" }\n'),
        { kind: 'directory', path: '/tmp', mode: 0o1777 },
      ],
      command: ['node', path],
      environment: ['PATH=/usr/local/bin:/usr/bin:/bin'],
    };
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}
