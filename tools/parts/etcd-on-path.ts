// SPDX-License-Identifier: Apache-2.0
import { dirname } from 'node:path';
import { runProgram } from '../process/run-program.ts';
import { findOnPath } from './on-path.ts';
import type { Part } from './part.ts';
import { isStaticProgram } from './recipes/static-program.ts';

const tools = ['etcdctl', 'etcdutl'] as const;

/**
 * The etcd on the machine's PATH, in any version; undefined if there is none, or if it needs libraries of the machine.
 * Nothing is copied: use `ensurePart` for one that does not change.
 */
export async function etcdOnPath(environment: NodeJS.ProcessEnv = process.env): Promise<Part | undefined> {
  const path = environment['PATH'] ?? '';
  const etcd = await findOnPath('etcd', path);
  if (etcd === undefined || !(await isStaticProgram(etcd))) return undefined;
  const { stdout } = await runProgram([etcd, '--version'], { timeoutMilliseconds: 10_000 });
  const version = /^etcd Version: (\d+\.\d+\.\d+)\s*$/m.exec(stdout)?.[1];
  if (version === undefined) return undefined;
  const programs: Record<string, string> = { etcd };
  for (const name of tools) {
    const found = await findOnPath(name, path);
    if (found !== undefined && (await isStaticProgram(found))) programs[name] = found;
  }
  return { name: `etcd@${version}`, version, directory: dirname(etcd), programs, libraries: {} };
}
