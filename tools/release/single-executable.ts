// SPDX-License-Identifier: Apache-2.0
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Architecture, pinnedNode } from '../image/pinned-node.ts';
import { outputOf } from '../process/run-program.ts';

/** The mark in Node's own file by which it knows that it carries a program. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/**
 * Puts a CommonJS program into the pinned Node of an architecture: one file that needs nothing else installed. Nothing of the program is
 * compiled ahead, so that any machine makes it for any architecture, and gets the same bytes.
 */
export async function writeSingleExecutable(
  source: { readonly program: string; readonly root: string; readonly architecture: Architecture },
  file: string,
): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'etcd-operator-executable-'));
  try {
    const [main, settings, output] = ['main.cjs', 'settings.json', 'blob'].map((name) => join(work, name));
    if (!main || !settings || !output) return;
    // The first line is for shells.
    await writeFile(main, (await readFile(source.program, 'utf8')).replace(/^#!.*\n/, ''));
    const options = { disableExperimentalSEAWarning: true, useCodeCache: false, useSnapshot: false };
    // Paths are from the working directory: what is written must not depend on where that is.
    await writeFile(settings, JSON.stringify({ main: 'main.cjs', output: 'blob', ...options }));
    await outputOf([process.execPath, '--experimental-sea-config', 'settings.json'], { cwd: work });
    await copyFile(join(await pinnedNode(source.architecture, source.root), 'bin', 'node'), file);
    const postject = join(source.root, 'node_modules', 'postject', 'dist', 'cli.js');
    await outputOf([process.execPath, postject, file, 'NODE_SEA_BLOB', output, '--sentinel-fuse', fuse]);
    await chmod(file, 0o755);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
