// SPDX-License-Identifier: Apache-2.0
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { RuntimeError } from './runtime-error.ts';

/** The programs of the operating system that the lab's nodes need, and their packages. */
const packages = {
  ip: 'iproute2',
  mkfifo: 'coreutils',
  mount: 'mount (part of util-linux)',
  nsenter: 'util-linux',
  setpriv: 'util-linux',
  sh: 'dash or bash',
  umount: 'mount (part of util-linux)',
  unshare: 'util-linux',
} as const;

/** The name of a needed program. */
export type SystemTool = keyof typeof packages;

/** Absolute paths of the needed programs. */
export type SystemTools = Readonly<Record<SystemTool, string>>;

/** Administration folders are often missing on the PATH of ordinary users. */
const administration = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/bin', '/bin'];

/** Looks for a program on PATH and in the usual folders for administration. */
export function findProgram(name: string, path: string): string | undefined {
  const folders = [...path.split(delimiter).filter((folder) => folder.startsWith('/')), ...administration];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Finds all needed programs, or fails with one sentence on what to install. */
export function findSystemTools(path = process.env['PATH'] ?? ''): SystemTools {
  const found = Object.keys(packages).map((name) => [name, findProgram(name, path)] as const);
  const missing = found.flatMap(([name, file]) => (file ? [] : [name as SystemTool]));
  if (missing.length > 0) {
    const wanted = [...new Set(missing.map((name) => packages[name]))].join(', ');
    throw new RuntimeError(
      'Unsupported',
      `kube-lab cannot run pods here: ${missing.join(', ')} not found; install ${wanted}`,
    );
  }
  return Object.fromEntries(found) as SystemTools;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
