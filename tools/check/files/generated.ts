// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import type { Check } from '../check.ts';
import { runProgram } from '../program.ts';

const generator = 'tools/generate/main.ts';

/** Generated files must equal the present output of their generators. */
export const generated: Check = {
  name: 'generated files are up to date',
  async run(tree) {
    if (!tree.has(generator)) return { problems: [], notes: [`no generator yet (${generator})`] };
    const { status, stdout, stderr } = await runProgram(
      process.execPath,
      [join(tree.root, generator), '--check'],
      tree.root,
    );
    if (status === 0) return { problems: [] };
    const output = `${stdout}\n${stderr}`.trim();
    return {
      problems: [{ rule: 'generated-files', message: `${output}; run "npm run generate" and commit what changed` }],
    };
  },
};
