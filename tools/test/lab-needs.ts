// SPDX-License-Identifier: Apache-2.0
import { ensurePart } from '@etcd-operator/tools';
import { missingPrerequisite } from './prerequisites.ts';

/** The real parts that `*.lab.test.ts` files run; whatever only a few of them need, they ask for themselves. */
const parts = ['etcd@3.6'];

/** Makes sure of what tests with real processes need, if there are any among these files, and shows what it does. */
export async function prepareLab(files: readonly string[]): Promise<void> {
  if (!files.some((file) => file.endsWith('.lab.test.ts'))) return;
  const missing = await missingPrerequisite();
  if (missing) throw new Error(missing);
  for (const part of parts) await ensurePart(part, { report: (line) => process.stderr.write(`${line}\n`) });
}
