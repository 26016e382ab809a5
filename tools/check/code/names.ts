// SPDX-License-Identifier: Apache-2.0
import type { Check } from '../check.ts';

const empty = /^(utils?|helpers?|common|misc|shared)$/i;

/** Names that do not describe the content. */
export const names: Check = {
  name: 'names of files and folders',
  async run(tree) {
    const problems = tree.files.flatMap((file) => {
      const part = file.split('/').find((one) => empty.test(one.replace(/(\.[a-z]+)+$/, '')));
      if (part === undefined) return [];
      return [{ rule: 'no-empty-name', file, message: `"${part}" says nothing: name it after the one idea it holds` }];
    });
    return { problems };
  },
};
