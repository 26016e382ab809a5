// SPDX-License-Identifier: Apache-2.0
import type { Check, Problem } from './check.ts';
import { runInstalled } from './program.ts';

interface Diagnostic {
  readonly message: string;
  readonly severity?: string;
  readonly code?: { readonly value?: string };
  readonly location?: { readonly path?: string; readonly range?: { readonly start?: { readonly line?: number } } };
}

/** Format and lint: biome.json lists the rules. */
export const biome: Check = {
  name: 'format and lint (biome)',
  async run({ root }) {
    const args = ['check', '--reporter=rdjson', '--max-diagnostics=none', '--error-on-warnings', '.'];
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

function toProblem({ message, code, location }: Diagnostic): Problem {
  const rule = code?.value ?? 'biome';
  const line = location?.range?.start?.line;
  const remedy = /^(format|assist)/.test(rule) ? '; run "npm run format"' : '';
  return {
    rule,
    ...(location?.path === undefined ? {} : { file: location.path }),
    ...(line === undefined ? {} : { line }),
    message: `${message.trim()}${remedy}`,
  };
}
