// SPDX-License-Identifier: Apache-2.0
import type { Check, Problem } from '../check.ts';
import { runInstalled } from '../program.ts';

/** The compiler's errors for the whole repository. */
export const types: Check = {
  name: 'types (tsc)',
  async run({ root }) {
    const { status, stdout } = await runInstalled('tsc', ['-p', '.', '--pretty', 'false'], root);
    if (status === 0) return { problems: [] };
    const problems = stdout.split('\n').flatMap(toProblem);
    return { problems: problems.length > 0 ? problems : [{ rule: 'tsc', message: stdout.trim() }] };
  },
};

function toProblem(text: string): Problem[] {
  const [, file, line, rule, message] = /^(.+?)\((\d+),\d+\): error (TS\d+): (.*)$/.exec(text) ?? [];
  if (file === undefined || rule === undefined || message === undefined) return [];
  return [{ rule, file, line: Number(line), message }];
}
