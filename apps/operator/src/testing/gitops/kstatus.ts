// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { ensurePart } from '@etcd-operator/tools';

/** What the library of Flux and kpt says of objects: `Current`, `InProgress`, `Failed` or `Terminating`, in their order. */
export async function kstatusOf(objects: readonly object[]): Promise<readonly string[]> {
  const program = (await ensurePart('kstatus')).programs['kstatus'] ?? '';
  const input = objects.map((object) => `${JSON.stringify(object)}\n`).join('');
  const { status, stdout, stderr } = spawnSync(program, [], { input, encoding: 'utf8', maxBuffer: 1 << 24 });
  if (status !== 0) throw new Error(`kstatus: ${stderr}`);
  return stdout.trim().split('\n');
}
