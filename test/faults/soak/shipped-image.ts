// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPrograms, operatorImage, operatorImageName } from '@etcd-operator/tools/image';
import { createImage, type ImageEntry, type ImageSet } from '@operator-parts/kube-lab';

const libraries = ['/lib', '/lib64', '/usr/lib', '/usr/lib64'];
const root = fileURLToPath(new URL('../../../', import.meta.url));
const probe = '/soak/probe.mjs';

/** What makes Node load the probe. */
export const withProbe = { name: 'NODE_OPTIONS', value: `--import=${probe}` } as const;

/** The operator's image as it is shipped, with this machine's Node and a probe beside it. Its files are written into `folder`. */
export async function shippedImage(folder: string): Promise<ImageSet> {
  const { files, environment = [], command } = await operatorImage(root, async () => []);
  const entry = fileURLToPath(new URL('probe.ts', import.meta.url));
  await buildPrograms([{ name: 'probe', entry }], { root, out: join(folder, 'probe') });
  const entries: ImageEntry[] = [
    ...libraries.map((path) => ({ kind: 'bind', path, source: path }) as const),
    { kind: 'bind', path: '/usr/local/bin/node', source: process.execPath },
    { kind: 'bind', path: dirname(probe), source: join(folder, 'probe') },
  ];
  const folders = new Set<string>();
  for (const file of files) {
    if (file.kind === 'link') entries.push({ kind: 'link', path: file.path, target: file.target });
    if (file.kind !== 'file' || !(file.content instanceof Uint8Array)) continue;
    const place = join(folder, 'image', file.path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, file.content, { mode: file.mode ?? 0o644 });
    if (file.path.startsWith('/usr/local/')) folders.add(dirname(file.path));
    else entries.push({ kind: 'bind', path: file.path, source: place });
  }
  for (const path of folders) entries.push({ kind: 'bind', path, source: join(folder, 'image', path) });
  const env = Object.fromEntries(environment.map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]));
  const image = createImage({
    files: { entries },
    entrypoint: [],
    cmd: [...command],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...env },
    user: 1000,
  });
  const [repository = ''] = operatorImageName.split(/:(?=[^:/]*$)/);
  return { repositories: [repository], tags: { '*': image } };
}
