// SPDX-License-Identifier: Apache-2.0
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { architectures } from '../../image/pinned-node.ts';
import type { Release } from '../release.ts';
import { emulator } from './emulator.ts';
import { here } from './nodes-at-hand.ts';
import { type OrdinaryUser, ordinaryUser } from './ordinary-user.ts';

interface Descriptor {
  readonly digest: string;
  readonly platform?: { readonly architecture: string };
}

/** The programs of the image, on the Node and the libraries of the image itself. */
const programs = [
  'etcd-operator',
  'etcd-backup-operator',
  'etcd-restore-operator',
  'etcd-restore-agent',
  'kubectl-etcd',
];

/**
 * Unpacks the layers of the image for each other architecture than this machine's from the archive, and runs its programs under emulation.
 * The one for this machine runs on the real Kubernetes.
 */
export async function verifyImage({ out, version }: Release): Promise<readonly string[]> {
  const archive = `etcd-operator-${version}-image.oci.tar`;
  const said: string[] = [];
  for (const architecture of architectures.filter((one) => one !== here)) {
    await using user = await ordinaryUser();
    const system = await unpack(user, join(out, archive), architecture);
    const [qemu = '', ...options] = await emulator(architecture, user, system);
    const args = [...options, join(system, 'usr/local/bin/node')];
    for (const name of programs) {
      const printed = await user.run(qemu, [
        ...args,
        join(system, `usr/local/lib/etcd-operator/${name}.mjs`),
        '--version',
      ]);
      if (!printed.startsWith(`${name} ${version}`))
        throw new Error(`${name} of the image for ${architecture} says "${printed.trim()}", not ${version}`);
      if (name.endsWith('operator') && !printed.includes(`linux/${architecture}`))
        throw new Error(`${name} of the image for ${architecture} runs on another one: "${printed.trim()}"`);
    }
    said.push(`${archive}: for ${architecture}, its ${programs.length} programs run on its own Node under emulation`);
  }
  return said;
}

/** Resolves with the folder that has the file system of the image. */
async function unpack(user: OrdinaryUser, archive: string, architecture: string): Promise<string> {
  const at = (...path: readonly string[]) => join(user.folder, ...path);
  await copyFile(archive, at('image.tar'));
  await user.run('mkdir', ['layout', 'system']);
  await user.run('tar', ['-xf', 'image.tar', '-C', 'layout']);
  const read = async (path: string) => JSON.parse(await readFile(at('layout', path), 'utf8')) as Layout;
  const blob = ({ digest }: Descriptor) => `blobs/${digest.replace(':', '/')}`;
  const [first] = (await read('index.json')).manifests ?? [];
  if (!first) throw new Error(`${archive} has no image`);
  const found = ((await read(blob(first))).manifests ?? []).find(
    ({ platform }) => platform?.architecture === architecture,
  );
  if (!found) throw new Error(`${archive} has no image for ${architecture}`);
  for (const layer of (await read(blob(found))).layers ?? [])
    await user.run('tar', ['-xzf', join('layout', blob(layer)), '-C', 'system']);
  return at('system');
}

/** An index names manifests, and a manifest layers. */
interface Layout {
  readonly manifests?: readonly Descriptor[];
  readonly layers?: readonly Descriptor[];
}
