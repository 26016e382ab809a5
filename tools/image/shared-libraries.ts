// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { outputOf } from '../process/run-program.ts';

/** glibc loads these itself for name lookups; older versions need them. */
const nameService = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'];

/** Absolute paths of the loader and the libraries of a program of this machine, according to the machine's ldd. */
export async function sharedLibraries(file: string): Promise<readonly string[]> {
  const stdout = await outputOf(['ldd', file]).catch((cause: unknown) => {
    throw new Error(`ldd could not tell which libraries ${file} needs: build the image on a Linux machine with glibc`, {
      cause,
    });
  });
  const linked = parseLdd(stdout);
  const libc = linked.find((path) => path.endsWith('/libc.so.6'));
  const more = libc === undefined ? [] : nameService.map((name) => join(dirname(libc), name)).filter(existsSync);
  return [...new Set([...linked, ...more])].sort();
}

/** `name => /path (0x...)` and `/path (0x...)`; libraries of the kernel have no path. */
export function parseLdd(output: string): readonly string[] {
  return output.split('\n').flatMap((line) => {
    const missing = /^\s*(\S+) => not found/.exec(line)?.[1];
    if (missing !== undefined) throw new Error(`the library ${missing} is missing on this machine`);
    const path = /^\s*(?:\S+ => )?(\/\S+) \(0x/.exec(line)?.[1];
    return path === undefined ? [] : [path];
  });
}
