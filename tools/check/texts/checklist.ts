// SPDX-License-Identifier: Apache-2.0
import { coverageOf } from '../../checklist/coverage.ts';
import type { Check } from '../check.ts';

const list = 'tools/checklist/checklist.ts';

/** Every line of the checklist must have a test that names it. */
export const checklist: Check = {
  name: 'lines of the checklist have tests',
  async run(tree) {
    if (!tree.has(list)) return { problems: [], notes: [`no checklist (${list})`] };
    const { lines, strays } = coverageOf(tree);
    const untested = lines.filter(({ tests }) => tests.length === 0);
    return {
      problems: [
        ...untested.map(({ number, sentence }) => ({
          rule: 'untested-line',
          file: list,
          message: `no test is called "[${number}] ...": prove "${sentence}"`,
        })),
        ...strays.map(({ file, name, number }) => ({
          rule: 'unknown-line',
          file,
          message: `"${name}" names line ${number}, which the checklist does not have`,
        })),
      ],
    };
  },
};
