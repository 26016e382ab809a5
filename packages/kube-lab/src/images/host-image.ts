// SPDX-License-Identifier: Apache-2.0
import { lstatSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Image, ImageEntry } from './image.ts';
import { createImage } from './image-table.ts';

/** System folders of the host that its programs need. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const systemFiles = [
  '/etc/nsswitch.conf',
  '/etc/passwd',
  '/etc/group',
  '/etc/ssl',
  '/etc/ld.so.cache',
  '/etc/alternatives',
];

/**
 * An image that runs programs of the host, for example your own program with the host's Node. A container sees the
 * system's folders and the given folders, read-only, at the same paths, and nothing else of the host.
 */
export function hostImage(options: {
  /** Folders of the host the program needs: its sources, its `node_modules`. */
  readonly directories?: readonly string[];
  readonly entrypoint: readonly string[];
  readonly cmd?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly workingDirectory?: string;
}): Image {
  const wanted = [...systemFolders, ...systemFiles, ...(options.directories ?? [])];
  return createImage({
    files: { entries: wanted.flatMap(entryFor) },
    entrypoint: options.entrypoint,
    cmd: options.cmd ?? [],
    env: options.env ?? {},
    ...(options.workingDirectory ? { workingDirectory: options.workingDirectory } : {}),
  });
}

/** The image of a program written for Node: `argv` runs with the same Node as the lab. */
export function nodeImage(options: {
  readonly directories: readonly string[];
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}): Image {
  return hostImage({
    directories: [...options.directories, dirname(process.execPath)],
    entrypoint: [process.execPath, ...options.argv],
    env: options.env ?? {},
  });
}

/**
 * The image of several programs written for Node. As in a real image, each can be called by its path,
 * `/usr/local/bin/NAME`. It runs from its source, with the same Node as the lab.
 */
export function nodeProgramsImage(options: {
  /** By name: the program's main file on the host. */
  readonly programs: Readonly<Record<string, string>>;
  /** Folders of the host that the programs need: their sources, their `node_modules`. */
  readonly directories: readonly string[];
  /** Numeric user the image runs as. @default 0 */
  readonly user?: number;
}): Image {
  const launchers = Object.entries(options.programs).map(([name, source]) => ({
    kind: 'file' as const,
    path: `/usr/local/bin/${name}`,
    text: `#!/usr/local/bin/node\nimport(${JSON.stringify(pathToFileURL(source).href)});\n`,
    executable: true,
  }));
  const libraries = ['/lib', '/lib64', '/usr/lib', '/usr/lib64'];
  return createImage({
    files: {
      entries: [
        ...[...libraries, ...options.directories].flatMap(entryFor),
        { kind: 'bind', path: '/usr/local/bin/node', source: process.execPath },
        { kind: 'file', path: '/etc/nsswitch.conf', text: 'hosts: files dns\n' },
        ...launchers,
      ],
    },
    entrypoint: [],
    cmd: [],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    ...(options.user === undefined ? {} : { user: options.user }),
  });
}

/** A link (such as `/bin` -> `usr/bin`) stays a link. */
function entryFor(path: string): readonly ImageEntry[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  return found.isSymbolicLink()
    ? [{ kind: 'link', path, target: readlinkSync(path) }]
    : [{ kind: 'bind', path, source: path }];
}
