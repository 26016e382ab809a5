// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { ensurePart } from '@etcd-operator/tools';

const run = promisify(execFile);

/** What etcd's own tool prints about a snapshot. */
export interface SnapshotStatus {
  readonly hash: number;
  readonly revision: number;
  readonly totalKey: number;
  readonly totalSize: number;
}

/**
 * Runs `etcdutl` of a minor version or of '3.4.31', or `etcdctl` if that version has no `etcdutl` yet. Dynamically linked tools come with
 * their loader.
 */
export async function etcdTool(minor: string, args: readonly string[], tool?: 'etcdctl'): Promise<string> {
  const part = await ensurePart(`etcd@${minor}`);
  const program = (tool === undefined ? part.programs['etcdutl'] : undefined) ?? part.programs['etcdctl'];
  if (program === undefined) throw new Error(`${part.name} has neither etcdutl nor etcdctl`);
  const loader = Object.values(part.libraries).find((file) => /\/ld-linux[^/]*$/.test(file));
  const directories = [...new Set(Object.values(part.libraries).map((file) => dirname(file)))];
  const command = loader === undefined ? [program] : [loader, '--library-path', directories.join(':'), program];
  const [file = '', ...first] = command;
  const { stdout } = await run(file, [...first, ...args], { env: { ETCDCTL_API: '3' }, maxBuffer: 1 << 24 });
  return stdout;
}

export async function snapshotStatus(minor: string, file: string): Promise<SnapshotStatus> {
  return JSON.parse(await etcdTool(minor, ['snapshot', 'status', file, '--write-out=json']));
}
