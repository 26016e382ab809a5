// SPDX-License-Identifier: Apache-2.0
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Architecture } from '../../image/pinned-node.ts';
import { requireProgram } from '../../image/require-program.ts';
import { ensurePart } from '../../parts/index.ts';
import type { OrdinaryUser } from './ordinary-user.ts';

/** The command line that runs programs of an architecture, with the libraries below a folder. */
export async function emulator(
  architecture: Architecture,
  user: OrdinaryUser,
  libraries: string,
): Promise<readonly string[]> {
  const name = architecture === 'arm64' ? 'qemu-aarch64-static' : 'qemu-x86_64-static';
  const program = join(user.folder, name);
  await copyFile(requireProgram(await ensurePart('qemu-user'), name), program);
  return [program, '-L', libraries];
}
