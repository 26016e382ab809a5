// SPDX-License-Identifier: Apache-2.0
import { copyFile, link } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildContext, PartContents } from './build/build-context.ts';
import { type Part, PartError } from './part.ts';

/** Puts the programs of several parts into one directory, as hard links that need no space. */
export async function collect(context: BuildContext, members: readonly Part[]): Promise<PartContents> {
  const programs: Record<string, string> = {};
  for (const member of members) {
    if (Object.keys(member.libraries).length > 0) {
      throw new PartError(
        'BuildFailed',
        `${context.name}: ${member.name} has libraries and cannot be part of another part`,
      );
    }
    for (const [name, path] of Object.entries(member.programs)) {
      context.task.step(`adding ${name}`);
      const target = join(context.output, name);
      // Some file systems do not support hard links.
      await link(path, target).catch(() => copyFile(path, target));
      programs[name] = name;
    }
  }
  return { programs, libraries: {} };
}
