// SPDX-License-Identifier: Apache-2.0
import type { Check, Problem } from '../check.ts';
import { runInstalled } from '../program.ts';

interface Diagnostic {
  readonly message: string;
  readonly category?: string;
  readonly location?: { readonly path?: string; readonly start?: { readonly line?: number } };
}

/** Format and lint: biome.json lists the rules. */
export const biome: Check = {
  name: 'format and lint (biome)',
  async run({ root }) {
    const args = ['check', '--reporter=json', '--max-diagnostics=none', '--error-on-warnings', '.'];
    const { status, stdout, stderr } = await runInstalled('biome', args, root);
    if (status === 0) return { problems: [] };
    const { diagnostics } = parseReport(stdout, stderr);
    return { problems: diagnostics.map(toProblem) };
  },
};

function parseReport(stdout: string, stderr: string): { readonly diagnostics: readonly Diagnostic[] } {
  const start = stdout.indexOf('{');
  if (start === -1) throw new Error(`biome gave no report: ${stderr.trim() || stdout.trim()}`);
  return JSON.parse(stdout.slice(start)) as { readonly diagnostics: readonly Diagnostic[] };
}

function toProblem({ message, category: rule = 'biome', location }: Diagnostic): Problem {
  const isFormat = rule === 'format';
  const line = location?.start?.line ?? 0;
  const fact = isFormat ? 'this is not how biome formats the file' : message.trim();
  return {
    rule,
    ...(location?.path === undefined ? {} : { file: location.path }),
    // Biome reports problems of a whole file in line 0.
    ...(line === 0 ? {} : { line }),
    message: isFormat || rule.startsWith('assist/') ? `${fact}; run "npm run format"` : fact,
  };
}
