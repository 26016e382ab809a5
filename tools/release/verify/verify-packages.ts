// SPDX-License-Identifier: Apache-2.0
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Workspace, workspacesOf } from '../../build/workspace.ts';
import { requireProgram } from '../../image/require-program.ts';
import { ensurePart } from '../../parts/index.ts';
import { runProgram } from '../../process/run-program.ts';
import { packageFile } from '../packages.ts';
import type { Release } from '../release.ts';
import type { NodeAtHand } from './nodes-at-hand.ts';
import { ordinaryUser } from './ordinary-user.ts';

/** Installs each package into an empty folder of an ordinary user and imports it on each Node, and has its types and its packaging judged. */
export async function verifyPackages(release: Release, nodes: readonly NodeAtHand[]): Promise<readonly string[]> {
  const all = workspacesOf(release.root, 'packages');
  const said: string[] = [];
  for (const one of all) {
    await judge(join(release.out, packageFile(one.manifest.name, release.version)));
    await use(one, all, release, nodes);
    const versions = nodes.map(({ version }) => version).join(' and ');
    said.push(`${one.manifest.name} is installed and imported on Node ${versions}; its types resolve`);
  }
  return said;
}

/** By attw and publint. Ours are ES modules only, which is no fault. */
async function judge(archive: string): Promise<void> {
  const attw = requireProgram(await ensurePart('attw'), 'attw');
  const publint = requireProgram(await ensurePart('publint'), 'publint');
  for (const args of [
    [attw, archive, '--profile=esm-only', '--format=ascii', '--no-color'],
    [publint, archive, '--strict'],
  ]) {
    const { outcome, stdout, ending } = await runProgram([process.execPath, ...args]);
    if (outcome !== 'ok') throw new Error(`${archive} is not packed as its users expect:\n${stdout || ending}`);
  }
}

async function use(
  one: Workspace,
  all: readonly Workspace[],
  { out, version }: Release,
  nodes: readonly NodeAtHand[],
): Promise<void> {
  await using user = await ordinaryUser();
  const files = closure(one, all).map(({ manifest }) => packageFile(manifest.name, version));
  for (const file of files) await copyFile(join(out, file), join(user.folder, file));
  const program = join(user.folder, 'node');
  for (const [index, node] of nodes.entries()) {
    await rm(program, { force: true });
    await copyFile(node.program, program);
    if (index === 0) await user.npm(program, ['install', ...files.map((file) => `./${file}`)]);
    const imported = `console.log(Object.keys(await import(${JSON.stringify(one.manifest.name)})).length)`;
    const printed = await user.run(program, ['--input-type=module', '--eval', imported]);
    if (!(Number(printed) > 0)) throw new Error(`${one.manifest.name} exports nothing on Node ${node.version}`);
  }
}

/** The package and those of ours that it needs, which no registry has yet. */
function closure(one: Workspace, all: readonly Workspace[]): readonly Workspace[] {
  const needed = all.filter(({ manifest }) => one.manifest.dependencies?.[manifest.name] !== undefined);
  return [...new Set([one, ...needed.flatMap((next) => closure(next, all))])];
}
