// SPDX-License-Identifier: Apache-2.0
import { chmod, mkdir, readFile, realpath, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import type { ContainerMount, ContainerSpec } from '../../container-runtime.ts';
import { RuntimeError } from '../../runtime-error.ts';
import { escapeMountPath, lockedFlags } from './mount-flags.ts';

/** A container's file tree, ready to be mounted: the folder that becomes `/`, and the fstab for `mount -a`. */
export interface ContainerRoot {
  readonly root: string;
  readonly fstab: string;
}

const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
const baseDirectories = ['/proc', '/sys', '/dev/pts', '/dev/shm', '/etc', '/run', '/root', '/var', '/tmp'];
const baseLinks: readonly (readonly [string, string])[] = [
  ['/dev/fd', '/proc/self/fd'],
  ['/dev/stdin', '/proc/self/fd/0'],
  ['/dev/stdout', '/proc/self/fd/1'],
  ['/dev/stderr', '/proc/self/fd/2'],
  ['/dev/ptmx', 'pts/ptmx'],
];

/**
 * Creates the folders, links and mount points of a container below `spec.directory`. Nothing is mounted here: that
 * happens in the container's own mount namespace, so that it disappears with the container.
 */
export async function prepareRoot(spec: ContainerSpec): Promise<ContainerRoot> {
  const root = join(spec.directory, 'root');
  // Under an overlay the writable tree is the upper folder; without one it is the root itself.
  const tree = spec.files.rootfs ? join(spec.directory, 'upper') : root;
  await Promise.all([root, tree, join(spec.directory, 'work')].map((folder) => mkdir(folder, { recursive: true })));
  await Promise.all(
    [...baseDirectories, spec.workingDirectory].map((path) => mkdir(within(tree, path), { recursive: true })),
  );
  await chmod(within(tree, '/tmp'), 0o1777);
  for (const [path, target] of baseLinks) await makeLink(within(tree, path), target);

  const mounts: ContainerMount[] = devices.map((name) => ({
    source: `/dev/${name}`,
    target: `/dev/${name}`,
    readOnly: false,
  }));
  for (const entry of spec.files.entries) {
    if (entry.kind === 'bind') mounts.push({ source: entry.source, target: entry.path, readOnly: true });
    else if (entry.kind === 'link') await makeLink(within(tree, entry.path), entry.target);
    else if (entry.kind === 'directory') await mkdir(within(tree, entry.path), { recursive: true });
    else await makeFile(within(tree, entry.path), entry.text, entry.executable ? 0o777 : 0o666);
  }
  mounts.push(...spec.mounts);
  return { root, fstab: await writeTable(spec, root, tree, outerFirst(mounts)) };
}

async function writeTable(
  spec: ContainerSpec,
  root: string,
  tree: string,
  mounts: readonly ContainerMount[],
): Promise<string> {
  const mountInfo = await readFile('/proc/self/mountinfo', 'utf8');
  const lines = [rootLine(spec, root)];
  for (const [index, mount] of mounts.entries()) {
    const source = await realpath(mount.source).catch((cause: unknown) => {
      throw new RuntimeError('CreateFailed', `failed to mount ${mount.target}: ${mount.source} does not exist`, {
        cause,
      });
    });
    await makeMountPoint(mountPoint(tree, mounts.slice(0, index), mount.target), source);
    const flags = mount.readOnly ? ['ro', ...lockedFlags(mountInfo, source)] : [];
    lines.push(line(source, within(root, mount.target), 'none', ['rbind', ...flags]));
  }
  lines.push(line('proc', within(root, '/proc'), 'proc', ['nosuid', 'nodev', 'noexec']));
  lines.push(line('devpts', within(root, '/dev/pts'), 'devpts', ['newinstance', 'ptmxmode=0666']));
  if (!mounts.some((mount) => mount.target === '/dev/shm')) {
    lines.push(line('shm', within(root, '/dev/shm'), 'tmpfs', ['size=64m', 'mode=1777']));
  }
  const file = join(spec.directory, 'fstab');
  await writeFile(file, lines.join(''));
  return file;
}

function rootLine(spec: ContainerSpec, root: string): string {
  const { rootfs } = spec.files;
  if (!rootfs) return line(root, root, 'none', ['bind']);
  const layers = [
    `lowerdir=${rootfs}`,
    `upperdir=${spec.directory}/upper`,
    `workdir=${spec.directory}/work`,
    'userxattr',
  ];
  return line('overlay', root, 'overlay', layers);
}

function line(source: string, target: string, type: string, options: readonly string[]): string {
  return `${escapeMountPath(source)} ${escapeMountPath(target)} ${type} ${options.map(escapeMountPath).join(',')} 0 0\n`;
}

/**
 * Where the mount point of a target must exist. If an earlier mount covers the target, that is inside the mount, which
 * hides the tree.
 */
function mountPoint(tree: string, earlier: readonly ContainerMount[], target: string): string {
  const outer = earlier.findLast((mount) => target.startsWith(`${mount.target.replace(/\/$/, '')}/`));
  return outer ? join(outer.source, target.slice(outer.target.length)) : within(tree, target);
}

async function makeMountPoint(path: string, source: string): Promise<void> {
  try {
    if ((await stat(source)).isDirectory()) await mkdir(path, { recursive: true });
    else await makeFile(path, '');
  } catch {
    // Nothing to do: if the mount point is missing, the mount itself reports an error.
  }
}

async function makeFile(path: string, text: string, mode = 0o666): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { flag: text === '' ? 'a' : 'w', mode });
}

async function makeLink(path: string, target: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

function outerFirst(mounts: readonly ContainerMount[]): readonly ContainerMount[] {
  const depth = (mount: ContainerMount) => normalize(mount.target).split('/').filter(Boolean).length;
  return mounts.toSorted((left, right) => depth(left) - depth(right));
}

/** A container path below a folder of the host; `..` cannot lead out of it. */
function within(folder: string, path: string): string {
  return join(folder, normalize(`/${path}`));
}
