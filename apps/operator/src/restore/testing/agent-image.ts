// SPDX-License-Identifier: Apache-2.0
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createImage, type ImageEntry, type ImageSet } from '@etcd-operator/kube-lab';

/** The operator's image in a lab, as far as pods use it: Node, and the agent where the real image has it. */
export const agentImageName = 'quay.io/etcd-operator/etcd-operator:test';

const workspace = resolve(import.meta.dirname, '../../..');
const home = '/usr/local/lib/etcd-operator/etcd-restore-agent.mjs';

/** The agent as it stands here, started by this very Node. */
export async function agentImages(): Promise<ImageSet> {
  const directory = await mkdtemp(join(tmpdir(), 'restore-agent-'));
  const launcher = join(directory, 'agent.mjs');
  const source = join(workspace, 'src/programs/etcd-restore-agent.ts');
  await writeFile(launcher, `#!/usr/local/bin/node\nawait import(${JSON.stringify(source)});\n`, { mode: 0o755 });
  const entries: readonly ImageEntry[] = [
    ...['/lib', '/lib64', '/usr/lib', '/usr/lib64'].flatMap(systemFolder),
    { kind: 'bind', path: '/usr/local/bin/node', source: process.execPath },
    { kind: 'bind', path: home, source: launcher },
    { kind: 'link', path: '/usr/local/bin/etcd-restore-agent', target: home },
    { kind: 'bind', path: join(workspace, 'src'), source: join(workspace, 'src') },
    { kind: 'bind', path: join(workspace, 'package.json'), source: join(workspace, 'package.json') },
  ];
  const image = createImage({ files: { entries }, entrypoint: [], cmd: ['etcd-operator'], env: {}, user: 1000 });
  return { repositories: ['quay.io/etcd-operator/etcd-operator'], tags: { '*': image } };
}

function systemFolder(path: string): readonly ImageEntry[] {
  if (!existsSync(path)) return [];
  if (lstatSync(path).isSymbolicLink()) return [{ kind: 'link', path, target: readlinkSync(path) }];
  return [{ kind: 'bind', path, source: path }];
}
