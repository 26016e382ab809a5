// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { ensurePart } from '@etcd-operator/tools';

/**
 * The status of each object according to the library of Flux and kpt: `Current`, `InProgress`, `Failed` or `Terminating`, in the order of
 * the objects.
 */
export async function kstatusOf(objects: readonly object[]): Promise<readonly string[]> {
  const program = (await ensurePart('kstatus')).programs['kstatus'] ?? '';
  const input = objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  const { status, stdout, stderr } = spawnSync(program, [], { input, encoding: 'utf8', maxBuffer: 1 << 24 });
  if (status !== 0) throw new Error(`kstatus: ${stderr}`);
  return stdout.trim().split('\n');
}
