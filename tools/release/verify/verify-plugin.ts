// SPDX-License-Identifier: Apache-2.0
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Architecture, architectures } from '../../image/pinned-node.ts';
import { ensurePart } from '../../parts/index.ts';
import { pluginArchives } from '../plugin.ts';
import type { Release } from '../release.ts';
import { emulator } from './emulator.ts';
import { here, type NodeAtHand } from './nodes-at-hand.ts';
import { type OrdinaryUser, ordinaryUser } from './ordinary-user.ts';

/** Unpacks each archive of the plugin into an empty folder and runs it there; that of another architecture under emulation. */
export async function verifyPlugin(
  { out, version }: Release,
  nodes: readonly NodeAtHand[],
): Promise<readonly string[]> {
  const archives = pluginArchives(version);
  const said: string[] = [];
  for (const architecture of architectures) {
    await using user = await ordinaryUser();
    const folder = await unpack(user, join(out, archives[architecture]));
    const how =
      architecture === here ? undefined : await emulator(architecture, user, await librariesOf(architecture, user));
    await expectVersion(user, how ? [...how, join(folder, 'kubectl-etcd')] : [join(folder, 'kubectl-etcd')], version);
    if (!how) await expectCompletion(user, folder);
    said.push(`${archives[architecture]} runs${how ? ' under emulation' : ', and completes'}`);
  }
  for (const { version: nodeVersion, program } of nodes) {
    await using user = await ordinaryUser();
    const folder = await unpack(user, join(out, archives.node));
    await copyFile(program, join(folder, 'node'));
    await expectCompletion(user, folder);
    await expectVersion(user, [join(folder, 'node'), join(folder, 'kubectl-etcd')], version);
    said.push(`${archives.node} runs on Node ${nodeVersion}, and completes`);
  }
  return said;
}

/** Root may have closed the release folder to others: the archive is handed over. */
async function unpack(user: OrdinaryUser, archive: string): Promise<string> {
  await copyFile(archive, join(user.folder, 'archive.tar.gz'));
  await user.run('tar', ['-xzf', 'archive.tar.gz']);
  return user.folder;
}

async function expectVersion(user: OrdinaryUser, command: readonly string[], version: string): Promise<void> {
  const [program = '', ...args] = command;
  const printed = await user.run(program, [...args, '--version']);
  if (printed !== `kubectl-etcd ${version}\n`) throw new Error(`the plugin says "${printed.trim()}", not ${version}`);
}

async function expectCompletion(user: OrdinaryUser, folder: string): Promise<void> {
  const path = { PATH: `${folder}:/usr/bin:/bin` };
  const printed = await user.run(join(folder, 'kubectl_complete-etcd'), ['stat'], path);
  if (printed !== 'status\n:4\n') throw new Error(`"kubectl etcd stat" completes to ${JSON.stringify(printed)}`);
}

/** The libraries that Node of another architecture needs. */
async function librariesOf(architecture: Architecture, user: OrdinaryUser): Promise<string> {
  const { libraries } = await ensurePart(`node-libraries-${architecture}`);
  for (const [path, source] of Object.entries(libraries)) {
    const target = join(user.folder, 'libraries', path);
    await mkdir(join(target, '..'), { recursive: true });
    await copyFile(source, target);
  }
  return join(user.folder, 'libraries');
}
