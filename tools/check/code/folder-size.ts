// SPDX-License-Identifier: Apache-2.0
import { dirname } from 'node:path';
import type { Check } from '../check.ts';
import { sourceFiles } from '../tree.ts';

const limit = 20;

/**
 * One subject per folder, so that its list of files can be read at a glance. Tests are beside their files and do not
 * count.
 */
export const folderSize: Check = {
  name: 'files in a folder',
  async run(tree) {
    const files = sourceFiles(tree).filter((file) => !file.endsWith('.test.ts'));
    const problems = [...Map.groupBy(files, dirname)]
      .filter(([, siblings]) => siblings.length > limit)
      .map(([folder, siblings]) => ({
        rule: 'folder-size',
        file: folder,
        message: `${siblings.length} files besides tests, over ${limit}: divide the folder by subject`,
      }));
    return { problems };
  },
};
