// SPDX-License-Identifier: Apache-2.0
import type { Check } from '../check.ts';
import { isGenerated } from '../tree.ts';

const identifier = 'SPDX-License-Identifier: Apache-2.0';

/** Every source file has its licence in its first line (its second after a shebang). */
export const licenseHeader: Check = {
  name: 'licence header',
  async run(tree) {
    const files = tree.files.filter((file) => /\.(ts|mjs|go|sh|proto)$/.test(file) || file === '.ci/run');
    const problems = files
      .filter((file) => !isGenerated(file) && !firstLine(tree.read(file)).includes(identifier))
      .map((file) => {
        const comment = /\.(ts|mjs|go|proto)$/.test(file) ? '//' : '#';
        return { rule: 'spdx-header', file, line: 1, message: `begin the file with "${comment} ${identifier}"` };
      });
    return { problems };
  },
};

function firstLine(text: string): string {
  const [first = '', second = ''] = text.split('\n', 2);
  return first.startsWith('#!') ? second : first;
}
