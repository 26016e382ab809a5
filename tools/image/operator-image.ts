// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorImageName } from '@etcd-operator/operator';
import { buildPrograms, programsOf } from '../build/build-programs.ts';
import { workspacesOf } from '../build/workspace.ts';
import { repositoryRoot } from '../repository-root.ts';
import { billOfMaterials } from '../supply-chain/bill-of-materials.ts';
import { type BundledPackage, bundledPackages, type LockFile } from '../supply-chain/bundled-packages.ts';
import { type Image, type ImageFile, text } from './image.ts';
import { nodeRuntime } from './node-runtime.ts';

/** Not root; the user needs no name. */
const user = 1000;
const home = '/usr/local/lib/etcd-operator';
const billPath = '/usr/share/sbom/etcd-operator.cdx.json';
const operatorVersion = operatorImageName.split(':v').at(-1) ?? '';

/**
 * An operator is idle most of the time: memory that was needed for a burst of work is released. This complements Node's
 * option in the first line of each program; benchmark B12 measures the resident memory.
 */
const frugal = ['MALLOC_ARENA_MAX=1', 'MALLOC_TRIM_THRESHOLD_=65536', 'MALLOC_MMAP_THRESHOLD_=65536'];
/** The apps whose programs are in the image. */
const shipped = ['operator', 'kubectl-etcd'];

/**
 * The operator's image: Node with its libraries and the bundled programs of the operator and of `kubectl etcd`, in
 * /usr/local/bin with the names that users of CoreOS etcd-operator know. No shell, no package manager, and its file
 * system is never written. Node contains the certificates of public CAs.
 *
 * @param runtime Node and its libraries
 */
export async function operatorImage(
  root: string = repositoryRoot,
  runtime: (root: string) => Promise<readonly ImageFile[]> = nodeRuntime,
): Promise<Image> {
  const programs = await operatorPrograms(root);
  return {
    names: [operatorImageName],
    files: [...(await runtime(root)), ...programs.files, ...(await systemFiles(root))],
    packages: programs.packages,
    ...operatorSettings,
  };
}

interface OperatorPrograms {
  readonly files: readonly ImageFile[];
  readonly packages: readonly BundledPackage[];
}

/** Its entry point and its labels; the Containerfile contains the same. */
export const operatorSettings = {
  command: ['etcd-operator'],
  environment: ['NODE_ENV=production', ...frugal],
  user: `${user}:${user}`,
  labels: {
    'org.opencontainers.image.title': 'etcd-operator',
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'org.opencontainers.image.version': operatorVersion,
  },
} as const satisfies Partial<Image>;

/**
 * The programs, their shared files, and a link to each program. A program is an ES module with a shebang line for Node;
 * the link has its command name. The bill of materials of the bundle is beside them.
 */
export async function operatorPrograms(root: string = repositoryRoot): Promise<OperatorPrograms> {
  const programs = programsOf(workspacesOf(root, 'apps').filter(({ name }) => shipped.includes(name)));
  if (programs.length === 0)
    throw new Error(`none of ${shipped.join(', ')} declares "programs" in its package.json: name them there`);
  const out = await mkdtemp(join(tmpdir(), 'etcd-operator-image-'));
  try {
    const starts = new Set(programs.map(({ name }) => `${name}.mjs`));
    const files: ImageFile[] = [];
    const bundle = await buildPrograms(programs, { root, out });
    for (const name of bundle.files) {
      const content = await readFile(join(out, name), 'utf8');
      const isProgram = starts.has(name);
      files.push(text(`${home}/${name}`, isProgram ? `${firstLine}${content}` : content, isProgram ? 0o755 : 0o644));
    }
    const link = (name: string) =>
      ({ kind: 'link', path: `/usr/local/bin/${name}`, target: `${home}/${name}.mjs` }) as const;
    const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as LockFile;
    const packages = bundledPackages(bundle.sources, lock);
    const bill = text(billPath, billOfMaterials({ name: 'etcd-operator', version: operatorVersion, packages }));
    return { files: [...files, ...programs.map(({ name }) => link(name)), bill], packages };
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

const firstLine = '#!/usr/local/bin/node --optimize-for-size\n';

async function systemFiles(root: string): Promise<readonly ImageFile[]> {
  return [
    text('/etc/passwd', `root:x:0:0::/:/sbin/nologin\netcd-operator:x:${user}:${user}::/:/sbin/nologin\n`),
    text('/etc/group', `root:x:0:\netcd-operator:x:${user}:\n`),
    text('/etc/nsswitch.conf', 'hosts: files dns\n'),
    { kind: 'directory', path: '/tmp', mode: 0o1777 },
    text('/usr/share/licenses/etcd-operator/LICENSE', await readFile(join(root, 'LICENSE'), 'utf8')),
  ];
}
